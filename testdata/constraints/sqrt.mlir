// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.sqrt %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.sqrt %arg0 : (tensor<f64>) -> tensor<4xf64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<2xf64>) {
  %0 = stablehlo.sqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, rtol = -1.000000e+00, ulps = 5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf64>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.sqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<rtol = 5.000000e-01, ulps = 2, mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<f64>
  return
}
