// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.cbrt %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.cbrt %arg0 : (tensor<f64>) -> tensor<1xf64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<2xf32>) {
  %0 = stablehlo.cbrt %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, rtol = 1.000000e+00, ulps = -2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.cbrt %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 2.000000e+00, ulps = 4, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
  return
}
