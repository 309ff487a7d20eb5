// valid
func.func @main(%arg0: tensor<i1>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<i8>) -> tensor<i1>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i4>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<i4>) -> tensor<1xi4>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<7xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<7xf32>) -> tensor<f32>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<1x1x3xi32>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 0, 2] : (tensor<1x1x3xi32>) -> tensor<1x2x3xi32>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<7xf32>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<7xf32>) -> tensor<2xf32>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<2x1x1x!quant.uniform<i8:f32:2, {1.000000e-01:-30}>>) {
  %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<2x1x1x!quant.uniform<i8:f32:2, {1.000000e-01:-30}>>) -> tensor<2x4x1x!quant.uniform<i8:f32:0, {1.000000e+00:3, 2.000000e+00:3}>>
  return
}
