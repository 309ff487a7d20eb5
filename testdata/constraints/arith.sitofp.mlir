// valid
func.func @main(%a: i32) {
  %0 = arith.sitofp %a : i32 to f32
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xi32>) {
  %0 = arith.sitofp %a : tensor<2xi32> to tensor<3xf32>
  return
}
