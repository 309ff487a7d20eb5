// valid
func.func @main(%a: f32) {
  %0 = arith.fptosi %a : f32 to i32
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xf32>) {
  %0 = arith.fptosi %a : tensor<2xf32> to tensor<3xi32>
  return
}
