// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.floor %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.floor %arg0 : (tensor<f64>) -> tensor<2xf64>
  return
}
