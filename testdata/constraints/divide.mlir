// valid
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = stablehlo.divide %arg0, %arg1 : tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<2xi4>, %arg1: tensor<i4>) {
  %0 = stablehlo.divide %arg0, %arg1 : (tensor<2xi4>, tensor<i4>) -> tensor<i4>
  return
}
