// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.logistic %arg0 : tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.logistic %arg0 : (tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.logistic %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 5.000000e-01, rtol = 1.000000e+00, ulps = -5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.logistic %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 4, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
  return
}
