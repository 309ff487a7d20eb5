// valid
func.func @main(%arg0: tensor<2xf64>) {
  %0 = stablehlo.is_finite %arg0 : (tensor<2xf64>) -> tensor<2xi1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.is_finite %arg0 : (tensor<f64>) -> tensor<7xi1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4x4xf32>) {
  %0 = stablehlo.is_finite %arg0 : (tensor<4x4xf32>) -> tensor<?x4xi1, #stablehlo.bounds<3, ?>>
  return
}
