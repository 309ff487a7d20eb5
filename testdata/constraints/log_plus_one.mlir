// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.log_plus_one %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.log_plus_one %arg0 : (tensor<f64>) -> tensor<2xf64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.log_plus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 2.000000e+00, ulps = -2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.log_plus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, ulps = 1, mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<f64>
  return
}
