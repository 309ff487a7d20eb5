// valid
func.func @main(%a: i32) {
  %0, %1 = arith.mului_extended %a, %a : i32
  return
}

// -----

// breaks: U1
func.func @main(%a: i32) {
  %0:2 = "arith.mului_extended"(%a, %a) : (i32, i32) -> (i32, i64)
  return
}
