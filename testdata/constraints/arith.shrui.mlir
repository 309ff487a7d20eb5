// valid
func.func @main(%a: i32) {
  %0 = arith.shrui %a, %a : i32
  return
}

// -----

// breaks: U1
func.func @main(%a: i32, %b: i8) {
  %0 = "arith.shrui"(%a, %b) : (i32, i8) -> i32
  return
}
