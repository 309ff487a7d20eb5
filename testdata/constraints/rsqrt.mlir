// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.rsqrt %arg0 : tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.rsqrt %arg0 : (tensor<f64>) -> tensor<1xf64>
  return
}

// -----

// breaks: U1
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%arg0: tensor<20x0xf32>) {
    %0 = stablehlo.rsqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = -1.000000e+00, rtol = 1.000000e+00, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<20x0xf32>) -> tensor<20x?xf32>
    return
  }
}

// -----

// breaks: U2
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%arg0: tensor<f32>) {
    %0 = stablehlo.rsqrt %arg0 {result_accuracy = #stablehlo.result_accuracy<rtol = 2.000000e+00, ulps = 5, mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<f32>
    return
  }
}
