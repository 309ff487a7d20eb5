// valid
func.func @main(%arg0: tensor<?x20x20xbf16>) {
  %0 = stablehlo.cholesky %arg0 : (tensor<?x20x20xbf16>) -> tensor<1x20x20xbf16>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<1x?xf64>) {
  %0 = stablehlo.cholesky %arg0 : (tensor<1x?xf64>) -> tensor<3x2xf64>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.cholesky %arg0 : tensor<f64>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<1x2xf32>) {
  %0 = stablehlo.cholesky %arg0 : tensor<1x2xf32>
  return
}
