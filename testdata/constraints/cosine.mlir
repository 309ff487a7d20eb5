// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.cosine %arg0 : tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.cosine %arg0 : (tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = stablehlo.cosine %arg0 {result_accuracy = #stablehlo.result_accuracy<rtol = 5.000000e-01, ulps = -1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<1xf32>) {
  %0 = stablehlo.cosine %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 5.000000e-01, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<1xf32>
  return
}
