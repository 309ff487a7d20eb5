// valid
func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<1xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1>}> : (tensor<1xf32>, tensor<1xi64>) -> tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<?x2xf32>, %arg1: tensor<i64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<start_index_map = [0]>, slice_sizes = array<i64: 1, 2>}> : (tensor<?x2xf32>, tensor<i64>) -> tensor<f32>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<?x4xf32>, %arg1: tensor<i64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], index_vector_dim = -2>, slice_sizes = array<i64: 1, 4>}> : (tensor<?x4xf32>, tensor<i64>) -> tensor<?x4xf32>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<i4>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0]>, slice_sizes = array<i64: 1>}> : (tensor<?xf32>, tensor<i4>) -> tensor<f32>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<8x11xi32>, %arg1: tensor<5x2xi4>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 8, 6>}> : (tensor<8x11xi32>, tensor<5x2xi4>) -> tensor<5x8x6xi32>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<1x4x9xi32>, %arg1: tensor<1x5x2xi32>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [-1], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<1x4x9xi32>, tensor<1x5x2xi32>) -> tensor<1x5x8xi32>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<2x4x9xi32>, %arg1: tensor<1x8x2xi32>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x4x9xi32>, tensor<1x8x2xi32>) -> tensor<1x5x8xi32>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<?x?x?x?x?x?x?x1xi4>, %arg1: tensor<1x4x2xi4>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2, 3, 4, 5], collapsed_slice_dims = [0, 3, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8, 1, 7, 1, 6, 1>}> : (tensor<?x?x?x?x?x?x?x1xi4>, tensor<1x4x2xi4>) -> tensor<8x?x7x1x6x1x?xi4>
  return
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<i64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], start_index_map = [0]>, slice_sizes = array<i64: 1>}> : (tensor<1xf32>, tensor<i64>) -> tensor<f32>
  return
}

// -----

// breaks: C9
func.func @main(%arg0: tensor<?x4xi1>, %arg1: tensor<i4>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 2, 4>}> : (tensor<?x4xi1>, tensor<i4>) -> tensor<?x4xi1>
  return
}

// -----

// breaks: C10
func.func @main(%arg0: tensor<2x4x9xi32>, %arg1: tensor<4x2xi4>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x4x9xi32>, tensor<4x2xi4>) -> tensor<4x2x8xi32>
  return
}

// -----

// breaks: C11
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x1xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [5], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2x3x4xf32>, tensor<2x5x1xi64>) -> tensor<2x5x4xf32>
  return
}

// -----

// breaks: C12
func.func @main(%arg0: tensor<7x2xf32>, %arg1: tensor<7x1xi8>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 4, 1>}> : (tensor<7x2xf32>, tensor<7x1xi8>) -> tensor<7x1xf32>
  return
}

// -----

// breaks: C13
func.func @main(%arg0: tensor<2x2x4xf32>, %arg1: tensor<2x1xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2x2x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
  return
}

// -----

// breaks: C14
func.func @main(%arg0: tensor<2x2x9xi4>, %arg1: tensor<4x2xi4>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 5], start_index_map = [2], index_vector_dim = 2>, limit_indices = array<i64>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x2x9xi4>, tensor<4x2xi4>) -> tensor<4x2x8xi4>
  return
}

// -----

// breaks: C15
func.func @main(%arg0: tensor<1x3x4xf32>, %arg1: tensor<2x5x1xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<1x3x4xf32>, tensor<2x5x1xi64>) -> tensor<2x5x4xf32>
  return
}

// -----

// breaks: C16
// with: C17 (lists of different lengths have no equal sizes)
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x1xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2x3x4xf32>, tensor<2x5x1xi64>) -> tensor<2x5x4xf32>
  return
}

// -----

// breaks: C17
func.func @main(%arg0: tensor<2x3x9xi32>, %arg1: tensor<4x2xi32>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], start_index_map = [2], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x3x9xi32>, tensor<4x2xi32>) -> tensor<4x2x8xi32>
  return
}

// -----

// breaks: C18
func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<5x2xi64>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<5x2xi64>) -> tensor<5x4xf32>
  return
}

// -----

// breaks: C19
func.func @main(%arg0: tensor<2x4x9xi32>, %arg1: tensor<1x5x2xi8>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x4x9xi32>, tensor<1x5x2xi8>) -> tensor<1x5x8xi32>
  return
}

// -----

// breaks: C20
func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<i8>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64>}> : (tensor<?xf32>, tensor<i8>) -> tensor<f32>
  return
}

// -----

// breaks: C21
func.func @main(%arg0: tensor<0x4xf32>, %arg1: tensor<?xi4>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0]>, slice_sizes = array<i64: 1, 4>}> : (tensor<0x4xf32>, tensor<?xi4>) -> tensor<?x4xf32>
  return
}

// -----

// breaks: C22
func.func @main(%arg0: tensor<?xf32>, %arg1: tensor<i4>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1>}> : (tensor<?xf32>, tensor<i4>) -> tensor<3xf32>
  return
}

// -----

// breaks: C23
func.func @main(%arg0: tensor<?x4xi4>, %arg1: tensor<i8>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 4>}> : (tensor<?x4xi4>, tensor<i8>) -> tensor<?x4xi8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<10x10x1x!quant.uniform<i8:f32, 0.0039215482917486456:-128>>, %arg1: tensor<2x2x1xi8>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 10, 2, 1>}> : (tensor<10x10x1x!quant.uniform<i8:f32, 0.0039215482917486456:-128>>, tensor<2x2x1xi8>) -> tensor<10x?x2x2x!quant.uniform<i8:f32, 1.000000e+00:17>>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %i = stablehlo.constant dense<0> : tensor<4x1xi64>
  %0 = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 0, 3>
  }> : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<4x3xf32>
  return
}
