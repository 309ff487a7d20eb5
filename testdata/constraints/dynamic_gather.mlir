// valid
func.func @main(%arg0: tensor<?x4xf32>, %arg1: tensor<i64>, %arg2: tensor<2xi8>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>}> : (tensor<?x4xf32>, tensor<i64>, tensor<2xi8>) -> tensor<0x3xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<i64>, %arg2: tensor<2xi16>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<start_index_map = [1]>, indices_are_sorted = false}> : (tensor<4x4xf32>, tensor<i64>, tensor<2xi16>) -> tensor<0x2xf32>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<3x?x?xi4>, %arg1: tensor<?xi4>, %arg2: tensor<3xi4>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], index_vector_dim = -2>}> : (tensor<3x?x?xi4>, tensor<?xi4>, tensor<3xi4>) -> tensor<3x?x?xi4>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<i32>, %arg2: tensor<2xui8>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1]>, indices_are_sorted = false}> : (tensor<2x4xf32>, tensor<i32>, tensor<2xui8>) -> tensor<0x2xf32>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<i64>, %arg2: tensor<2xi16>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], start_index_map = [1]>, indices_are_sorted = false}> : (tensor<4x4xf32>, tensor<i64>, tensor<2xi16>) -> tensor<0x2xf32>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<i64>, %arg2: tensor<2xi16>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], start_index_map = [1]>, indices_are_sorted = false}> : (tensor<2x4xf32>, tensor<i64>, tensor<2xi16>) -> tensor<?x2xf32>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<3x0x?xi32>, %arg1: tensor<3x?x2xi32>, %arg2: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2, 1], start_index_map = [0, 1], index_vector_dim = 2>}> : (tensor<3x0x?xi32>, tensor<3x?x2xi32>, tensor<3xi64>) -> tensor<3x?x0xi32>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<?x5x2x5xf32>, %arg1: tensor<i4>, %arg2: tensor<4xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1, 2], collapsed_slice_dims = [4], start_index_map = [1]>}> : (tensor<?x5x2x5xf32>, tensor<i4>, tensor<4xi64>) -> tensor<?x9x3xf32>
  return
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<?x?x?xi32>, %arg1: tensor<0x?xi32>) {
  %c = stablehlo.constant dense<[2, 1, 8]> : tensor<3xi32>
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<?x?x?xi32>, tensor<0x?xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
  return
}

// -----

// breaks: C9
// with: U11 (a repeated dimension is repeated in the longer list)
func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<5x2xi64>, %arg2: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<5x2xi64>, tensor<2xi64>) -> tensor<5x4xf32>
  return
}

// -----

// breaks: C10
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>, %arg2: tensor<2xui8>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [-2]>, indices_are_sorted = true}> : (tensor<2x3xf32>, tensor<i32>, tensor<2xui8>) -> tensor<0x2xf32>
  return
}

// -----

// breaks: C11
func.func @main(%arg0: tensor<4x4xi8>, %arg1: tensor<i64>, %arg2: tensor<4xi8>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>}> : (tensor<4x4xi8>, tensor<i64>, tensor<4xi8>) -> tensor<0x3xi8>
  return
}

// -----

// breaks: C12
func.func @main(%arg0: tensor<?x?x?xi32>, %arg1: tensor<?x3xi32>) {
  %c = stablehlo.constant dense<[-2, 1, 8]> : tensor<3xi32>
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>}> : (tensor<?x?x?xi32>, tensor<?x3xi32>, tensor<3xi32>) -> tensor<?x?x?xi32>
  return
}

// -----

// breaks: C13
func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<i64>, %arg2: tensor<2xi16>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true}> : (tensor<4x4xf32>, tensor<i64>, tensor<2xi16>) -> tensor<0x2x1xf32>
  return
}

// -----

// breaks: C14
func.func @main(%arg0: tensor<3x4xi1>, %arg1: tensor<i64>, %arg2: tensor<2xi8>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>}> : (tensor<3x4xi1>, tensor<i64>, tensor<2xi8>) -> tensor<0x3xi16>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<?x4xi1>, %arg1: tensor<i64>, %arg2: tensor<?xi8>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>}> : (tensor<?x4xi1>, tensor<i64>, tensor<?xi8>) -> tensor<4x3xi1>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>}> : (tensor<2x3x4xf32>, tensor<2x5x1xi64>, tensor<3xi64>) -> tensor<2x5x4xf32>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<5x2x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>}> : (tensor<5x2x4xf32>, tensor<2x5x1xi64>, tensor<3xi64>) -> tensor<2x5x4xf32>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<1x4x9xi4>, %arg1: tensor<1x5x2xi4>, %arg2: tensor<3xi4>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], operand_batching_dims = [3], start_indices_batching_dims = [0], start_index_map = [0, 1], index_vector_dim = 2>}> : (tensor<1x4x9xi4>, tensor<1x5x2xi4>, tensor<3xi4>) -> tensor<i4>
  return
}

// -----

// breaks: U5
func.func @main(%arg0: tensor<?x2x?xi32>, %arg1: tensor<?x?xi32>) {
  %c = stablehlo.constant dense<[2, 1, 8]> : tensor<3xi32>
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, indices_are_sorted = false}> : (tensor<?x2x?xi32>, tensor<?x?xi32>, tensor<3xi32>) -> tensor<?x2x?xi32>
  return
}

// -----

// breaks: U6
func.func @main(%arg0: tensor<2x2x4xf32>, %arg1: tensor<2x1xi64>, %arg2: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [2], index_vector_dim = 1>}> : (tensor<2x2x4xf32>, tensor<2x1xi64>, tensor<3xi64>) -> tensor<2x4xf32>
  return
}

// -----

// breaks: U7
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [3], start_index_map = [1], index_vector_dim = 2>}> : (tensor<2x3x4xf32>, tensor<2x5x1xi64>, tensor<3xi64>) -> tensor<2x5x4xf32>
  return
}

// -----

// breaks: U8
func.func @main(%arg0: tensor<1x3x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 2>}> : (tensor<1x3x4xf32>, tensor<2x5x1xi64>, tensor<3xi64>) -> tensor<2x5x4xf32>
  return
}

// -----

// breaks: U9
// with: U10 (lists of different lengths have no equal sizes)
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>}> : (tensor<2x3x4xf32>, tensor<2x5x1xi64>, tensor<3xi64>) -> tensor<2x5x4xf32>
  return
}

// -----

// breaks: U10
func.func @main(%arg0: tensor<3x0x?xi8>, %arg1: tensor<3x3x?xi8>, %arg2: tensor<3xi8>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], index_vector_dim = 2>}> : (tensor<3x0x?xi8>, tensor<3x3x?xi8>, tensor<3xi8>) -> tensor<3x3x?xi8>
  return
}

// -----

// breaks: U11
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x2xi64>, %arg2: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0, 1], index_vector_dim = 2>}> : (tensor<2x3x4xf32>, tensor<2x5x2xi64>, tensor<3xi64>) -> tensor<2x5x4xf32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %i = stablehlo.constant dense<0> : tensor<4x1xi64>
  %s = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
  }> : (tensor<2x3xf32>, tensor<4x1xi64>, tensor<2xi64>) -> tensor<4x3xf32>
  return
}
