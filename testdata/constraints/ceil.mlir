// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.ceil %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.ceil %arg0 : (tensor<f32>) -> tensor<f64>
  return
}
