// valid
func.func @main(%a: i32) {
  %0 = arith.uitofp %a : i32 to f32
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xi32>) {
  %0 = arith.uitofp %a : tensor<2xi32> to tensor<3xf32>
  return
}
