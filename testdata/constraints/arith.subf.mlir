// valid
func.func @main(%a: f32) {
  %0 = arith.subf %a, %a fastmath<nnan> : f32
  return
}

// -----

// breaks: U1
func.func @main(%a: f32, %b: f64) {
  %0 = "arith.subf"(%a, %b) : (f32, f64) -> f32
  return
}

// -----

// breaks: U2
func.func @main(%a: f32) {
  %0 = "arith.subf"(%a, %a) <{roundingmode = 5 : i32}> : (f32, f32) -> f32
  return
}
