// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.exponential %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.exponential %arg0 : (tensor<f64>) -> tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<2x20x20xbf16>) {
  %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = -1.000000e+00, rtol = 1.000000e+00, ulps = -2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2x20x20xbf16>) -> tensor<?x20x20xbf16>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<0xf64>) {
  %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, rtol = 1.000000e+00, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<0xf64>
  return
}
