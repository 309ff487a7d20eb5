// valid
func.func @main(%arg0: tensor<2xf64>) {
  %0 = stablehlo.exponential_minus_one %arg0 : tensor<2xf64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.exponential_minus_one %arg0 : (tensor<f64>) -> tensor<3xf64>
  return
}

// -----

// breaks: U1
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%arg0: tensor<f64>) {
    %0 = stablehlo.exponential_minus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = -1.000000e+00, ulps = 4, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f64>
    return
  }
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.exponential_minus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
  return
}
