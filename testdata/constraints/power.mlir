// valid
func.func @main(%arg0: tensor<6xf64>, %arg1: tensor<6xf64>) {
  %0 = stablehlo.power %arg0, %arg1 : tensor<6xf64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>, %arg1: tensor<f64>) {
  %0 = stablehlo.power %arg0, %arg1 : (tensor<f64>, tensor<f64>) -> tensor<6xf64>
  return
}
