// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.tan %arg0 : tensor<f32> -> tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<2xf16>) {
  %0 = chlo.tan %arg0 : tensor<2xf16> -> tensor<f16>
  return
}
