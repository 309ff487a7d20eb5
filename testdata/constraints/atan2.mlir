// valid
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = stablehlo.atan2 %arg0, %arg1 : tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f16>) {
  %0 = stablehlo.atan2 %arg0, %arg1 : (tensor<f32>, tensor<f16>) -> tensor<f16>
  return
}
