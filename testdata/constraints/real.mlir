// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.real %arg0 : tensor<f64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.real %arg0 : (tensor<f64>) -> tensor<2xf64>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<2xf16>) {
  %0 = stablehlo.real %arg0 : (tensor<2xf16>) -> tensor<?xf64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<2x4xcomplex<f32>>) {
  %0 = stablehlo.real %arg0 : (tensor<2x4xcomplex<f32>>) -> tensor<?x?xf32, #stablehlo.bounds<?, 3>>
  return
}
