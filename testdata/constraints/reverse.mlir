// valid
func.func @main(%arg0: tensor<3xi32>) {
  %0 = stablehlo.reverse %arg0, dims = [] : tensor<3xi32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<2xi8>) {
  %0 = stablehlo.reverse %arg0, dims = [] : (tensor<2xi8>) -> tensor<i8>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<3x2xi1>) {
  %0 = stablehlo.reverse %arg0, dims = [0, 0] : tensor<3x2xi1>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<i32>) {
  %0 = stablehlo.reverse %arg0, dims = [2] : tensor<i32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<?x3x4x5x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = stablehlo.reverse %arg0, dims = [] : (tensor<?x3x4x5x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<?x3x4x5x!quant.uniform<i8:f32, 1.000000e+00:17>>
  return
}
