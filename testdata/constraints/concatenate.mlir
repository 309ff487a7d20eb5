// valid
func.func @main(%arg0: tensor<1xi1>, %arg1: tensor<1xi1>) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<1xi1>, tensor<1xi1>) -> tensor<2xi1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<1xi32>, %arg1: tensor<i8>) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<1xi32>, tensor<i8>) -> tensor<i32>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<1xi32>, %arg1: tensor<2x2xi32>) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<1xi32>, tensor<2x2xi32>) -> tensor<3xi32>
  return
}

// -----

// breaks: C3
module {
  func.func @main() {
    %r = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> (tensor<i1>)
    return
  }
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<i8>) {
  %0 = stablehlo.concatenate %arg0, dim = 0 : (tensor<i8>) -> tensor<i8>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<?xi4>) {
  %0 = stablehlo.concatenate %arg0, dim = 0 : (tensor<?xi4>) -> tensor<3xi8>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<1x3xi32>) {
  %0 = stablehlo.concatenate %arg0, dim = 1 : (tensor<1x3xi32>) -> tensor<3x3xi32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<5x1x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = stablehlo.concatenate %arg0, dim = 0 : (tensor<5x1x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<?x?x!quant.uniform<i8:f32, 1.000000e+00:17>>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<?x?xf32, #stablehlo.bounds<4, 4>>) {
  %0 = stablehlo.concatenate %arg0, dim = 0 : (tensor<?x?xf32, #stablehlo.bounds<4, 4>>) -> tensor<8x?xf32>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<?x?xf32, #stablehlo.bounds<4, 4>>, %arg1: tensor<?x6xf32, #stablehlo.bounds<4, ?>>) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<?x?xf32, #stablehlo.bounds<4, 4>>, tensor<?x6xf32, #stablehlo.bounds<4, ?>>) -> tensor<4x4xf32>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<?x6xf32>) {
  %0 = stablehlo.concatenate %arg0, dim = 0 : (tensor<?x6xf32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 4>>
  return
}
