// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.asinh %arg0 : tensor<f32> -> tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f16>) {
  %0 = chlo.asinh %arg0 : tensor<f16> -> tensor<f32>
  return
}
