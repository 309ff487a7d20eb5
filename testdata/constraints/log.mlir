// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.log %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.log %arg0 : (tensor<f64>) -> tensor<f32>
  return
}

// -----

// breaks: U1
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<20x20xcomplex<f32>>) {
    %0 = stablehlo.log %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = -1.000000e+00, rtol = 1.000000e+00, ulps = 5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<20x20xcomplex<f32>>
    return
  }
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.log %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 2.000000e+00, ulps = 4, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
  return
}
