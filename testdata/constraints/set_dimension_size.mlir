// valid
func.func @main(%arg0: tensor<4x3xf64>, %arg1: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4x3xf64>, tensor<i32>) -> tensor<2x3xf64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 1 : (tensor<i1>, tensor<i32>) -> tensor<i1>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<4x3xf64>, %arg1: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4x3xf64>, tensor<i32>) -> tensor<2x3xi32>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<4xi4>, %arg1: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<4xi4>, tensor<i32>) -> tensor<2x3xi4>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<4x0xi1>, %arg1: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 1 : (tensor<4x0xi1>, tensor<i32>) -> tensor<?x3xi1>
  return
}

// -----

// breaks: U5
func.func @main(%arg0: tensor<?x?xf32, #stablehlo.bounds<6, 4>>, %arg1: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<?x?xf32, #stablehlo.bounds<6, 4>>, tensor<i32>) -> tensor<8x4xf32>
  return
}
