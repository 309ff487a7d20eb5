// valid
func.func @main(%c: i1, %a: f32) {
  cf.cond_br %c weights([1, 2]), ^bb1(%a : f32), ^bb2
  ^bb1(%x: f32):
  return
  ^bb2:
  return
}

// -----

// breaks: U1
func.func @main(%c: i1, %a: f32) {
  cf.cond_br %c weights([1]), ^bb1, ^bb1
  ^bb1:
  return
}
