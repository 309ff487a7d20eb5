// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.atan %arg0 : tensor<f32> -> tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.atan %arg0 : tensor<f32> -> tensor<3xf32>
  return
}
