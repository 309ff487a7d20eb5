// valid
func.func @main(%arg0: tensor<i1>) {
  %0 = stablehlo.reshape %arg0 : (tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i1>) {
  %0 = stablehlo.reshape %arg0 : (tensor<i1>) -> tensor<i8>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i1>) {
  %0 = stablehlo.reshape %arg0 : (tensor<i1>) -> tensor<4xi1>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<1x2x3x4x5x!quant.uniform<i8:f32:0, {1.000000e+00:17}>>) {
  %0 = stablehlo.reshape %arg0 : (tensor<1x2x3x4x5x!quant.uniform<i8:f32:0, {1.000000e+00:17}>>) -> tensor<2x1x3x20x!quant.uniform<i8:f32:1, {1.000000e+00:17}>>
  return
}
