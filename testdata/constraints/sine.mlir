// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.sine %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.sine %arg0 : (tensor<f64>) -> tensor<2xf64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<3xf64>) {
  %0 = stablehlo.sine %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = -1.000000e+00, rtol = 1.000000e+00, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<3xf64>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<?xf64>) {
  %0 = stablehlo.sine %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<?xf64>) -> tensor<3xf64>
  return
}
