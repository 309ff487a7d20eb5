// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.round_nearest_even %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f16>) {
  %0 = stablehlo.round_nearest_even %arg0 : (tensor<f16>) -> tensor<f64>
  return
}
