// valid
func.func @main(%a: tensor<2xi32>) {
  %0, %1 = arith.addui_extended %a, %a : tensor<2xi32>, tensor<2xi1>
  return
}

// -----

// breaks: U1
func.func @main(%a: i32, %b: i8) {
  %0:2 = "arith.addui_extended"(%a, %b) : (i32, i8) -> (i32, i1)
  return
}

// -----

// breaks: U2
func.func @main(%a: tensor<2xi32>) {
  %0, %1 = arith.addui_extended %a, %a : tensor<2xi32>, tensor<3xi1>
  return
}
