// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.round_nearest_afz %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<2xf64>) {
  %0 = stablehlo.round_nearest_afz %arg0 : (tensor<2xf64>) -> tensor<f64>
  return
}
