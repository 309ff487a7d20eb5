// valid
func.func @main(%arg0: tensor<2x3x2xi32>) {
  %0 = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<2x3x2xi32>) -> tensor<3x2x2xi32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<1x2x3x4xi32>) {
  %0 = stablehlo.transpose %arg0, dims = [1, 0, 3, 2] : (tensor<1x2x3x4xi32>) -> tensor<?x?x?x?xf64>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i1>) {
  %0 = stablehlo.transpose %arg0, dims = [1] : (tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<2x3x2xi32>) {
  %0 = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<2x3x2xi32>) -> tensor<i32>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<?x2x?x?x!quant.uniform<i8:f32:0, {2.000000e+00:15}>>) {
  %0 = stablehlo.transpose %arg0, dims = [3, 2, 1, 0] : (tensor<?x2x?x?x!quant.uniform<i8:f32:0, {2.000000e+00:15}>>) -> tensor<?x2x?x?x!quant.uniform<i8:f32:0, {2.000000e+00:15}>>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4x4xf32>) {
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<?x?xf32, #stablehlo.bounds<3, ?>>
  return
}
