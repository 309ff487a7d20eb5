// valid
func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x1xi64>, %arg2: tensor<3x3xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<3x3xf32>, tensor<3x1xi64>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x2x4xf32>, %arg2: tensor<2x5x1xi64>, %arg3: tensor<2x5x4xf32>, %arg4: tensor<2x5x4xf32>) {
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>):
    stablehlo.return %arg5, %arg6 : tensor<f32>, tensor<f32>
  }) : (tensor<2x3x4xf32>, tensor<2x2x4xf32>, tensor<2x5x1xi64>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x2x4xf32>)
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<?x7x5x3xf32>, %arg1: tensor<?xi4>, %arg2: tensor<?x1x0x1xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3]>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<?x7x5x3xf32>, tensor<?xi4>, tensor<?x1x0x1xf32>) -> tensor<?x7x5x3xf32>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x3x4xf32>, %arg2: tensor<2x5x1xi64>, %arg3: tensor<2x5x4xf32>, %arg4: tensor<2x5x3xf32>) {
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<f32>):
    stablehlo.return %arg5, %arg6 : tensor<f32>, tensor<f32>
  }) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x5x1xi64>, tensor<2x5x4xf32>, tensor<2x5x3xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>)
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<?x5xf32>, %arg1: tensor<2x1xi4>, %arg2: tensor<2xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<?x5xf32>, tensor<2x1xi4>, tensor<2xf32>) -> tensor<?x5xf32>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<2x5x1xi64>) {
  "stablehlo.scatter"(%arg0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
    stablehlo.return 
  }) : (tensor<2x5x1xi64>) -> ()
  return
}

// -----

// warns: C6
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<1x2x3xui32>, %arg1: tensor<1xi64>, %arg2: tensor<2x3xi8>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<ui32>, %arg4: tensor<ui32>):
      stablehlo.return %arg4 : tensor<ui32>
    }) : (tensor<1x2x3xui32>, tensor<1xi64>, tensor<2x3xi8>) -> tensor<1x2x3xui32>
    return
  }
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<?x1x1x1xf32>, %arg1: tensor<i8>, %arg2: tensor<?x1x1xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 0, 2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<?x1x1x1xf32>, tensor<i8>, tensor<?x1x1xf32>) -> tensor<?x1x1x1xf32>
  return
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<?x5xf32>, %arg1: tensor<2xi8>, %arg2: tensor<f32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<?x5xf32>, tensor<2xi8>, tensor<f32>) -> tensor<?x5xf32>
  return
}

// -----

// breaks: C9
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x2x3x5xf16>, %arg1: tensor<2xi8>, %arg2: tensor<4x4xf16>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [1, 1], scatter_dims_to_operand_dims = [1, 3]>}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      stablehlo.return %arg3 : tensor<f16>
    }) : (tensor<4x2x3x5xf16>, tensor<2xi8>, tensor<4x4xf16>) -> tensor<4x2x3x5xf16>
    return
  }
}

// -----

// breaks: C10
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x2x3x5xf16>, %arg1: tensor<2xi64>, %arg2: tensor<3x3xf16>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [1, 0], scatter_dims_to_operand_dims = [1, 3]>}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      stablehlo.return %arg3 : tensor<f16>
    }) : (tensor<4x2x3x5xf16>, tensor<2xi64>, tensor<3x3xf16>) -> tensor<4x2x3x5xf16>
    return
  }
}

// -----

// breaks: C11
func.func @main(%arg0: tensor<3x0xf32>, %arg1: tensor<3x1xi64>, %arg2: tensor<3x3xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [3], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %1 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x0xf32>, tensor<3x1xi64>, tensor<3x3xf32>) -> tensor<3x0xf32>
  return
}

// -----

// breaks: C12
func.func @main(%arg0: tensor<5x2x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<2x5x4xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], input_batching_dims = [1, 0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<5x2x4xf32>, tensor<2x5x1xi64>, tensor<2x5x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

// breaks: C13
func.func @main(%arg0: tensor<3x?x5xf32>, %arg1: tensor<2xi4>, %arg2: tensor<?x4xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], input_batching_dims = [3], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<3x?x5xf32>, tensor<2xi4>, tensor<?x4xf32>) -> tensor<3x?x5xf32>
  return
}

// -----

// breaks: C14
func.func @main(%arg0: tensor<2x2x4xf32>, %arg1: tensor<2x1xi64>, %arg2: tensor<2x4xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 0], scatter_dims_to_operand_dims = [2], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<2x2x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

// breaks: C15
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<2x5x4xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<2x3x4xf32>, tensor<2x5x1xi64>, tensor<2x5x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// breaks: C16
func.func @main(%arg0: tensor<1x3x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<2x5x4xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<1x3x4xf32>, tensor<2x5x1xi64>, tensor<2x5x4xf32>) -> tensor<1x3x4xf32>
  return
}

// -----

// breaks: C17
// with: C18 (lists of different lengths have no equal sizes)
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<2x5x4xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<2x3x4xf32>, tensor<2x5x1xi64>, tensor<2x5x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// breaks: C18
func.func @main(%arg0: tensor<3x3x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<2x5x4xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<3x3x4xf32>, tensor<2x5x1xi64>, tensor<2x5x4xf32>) -> tensor<3x3x4xf32>
  return
}

// -----

// breaks: C19
func.func @main(%arg0: tensor<3x0xf32>, %arg1: tensor<3x0xi64>, %arg2: tensor<3x3xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<3x0xf32>, tensor<3x0xi64>, tensor<3x3xf32>) -> tensor<3x0xf32>
  return
}

// -----

// breaks: C20
func.func @main(%arg0: tensor<200x100x300xi1>, %arg1: tensor<10x2xi8>, %arg2: tensor<10x300xi1>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 0], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<i1>, %arg4: tensor<i1>):
    stablehlo.return %arg3 : tensor<i1>
  }) : (tensor<200x100x300xi1>, tensor<10x2xi8>, tensor<10x300xi1>) -> tensor<200x100x300xi1>
  return
}

// -----

// breaks: C21
func.func @main(%arg0: tensor<3x0xf32>, %arg1: tensor<3x1xi64>, %arg2: tensor<3x3xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [-2], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<3x0xf32>, tensor<3x1xi64>, tensor<3x3xf32>) -> tensor<3x0xf32>
  return
}

// -----

// breaks: C22
func.func @main(%arg0: tensor<?x4xf32>, %arg1: tensor<4x2xf32>) {
  %c = stablehlo.constant dense<[[0], [2]]> : tensor<2x1xi64>
  %0 = "stablehlo.scatter"(%arg0, %c, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = -1>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<2x1xi64>, tensor<4x2xf32>) -> tensor<?x4xf32>
  return
}

// -----

// breaks: C23
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<2xi8>, %arg1: tensor<2xi4>, %arg2: tensor<2xi8>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<i8>):
      stablehlo.return %arg3 : tensor<i8>
    }) : (tensor<2xi8>, tensor<2xi4>, tensor<2xi8>) -> tensor<2xi8>
    return
  }
}

// -----

// warns: C23
func.func @main(%arg0: tensor<?x4xf64>, %arg1: tensor<3xi8>, %arg2: tensor<?x3xf64>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<?x4xf64>, tensor<3xi8>, tensor<?x3xf64>) -> tensor<?x4xf32>
  return
}

// -----

// breaks: C24
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<1x2x3xi8>, %arg1: tensor<2xi64>, %arg2: tensor<1xi8>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1, 2], scatter_dims_to_operand_dims = [1, 2]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i8>, %arg4: tensor<i8>):
      stablehlo.return %arg4 : tensor<i8>
    }) : (tensor<1x2x3xi8>, tensor<2xi64>, tensor<1xi8>) -> tensor<2x2x3xi8>
    return
  }
}

// -----

// breaks: C25
func.func @main(%arg0: tensor<?x5xf32>, %arg1: tensor<2xi4>, %arg2: tensor<?x2xf32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<?x5xf32>, tensor<2xi4>, tensor<?x2xf32>) -> tensor<?x5xi8>
  return
}

// -----

// breaks: U1
// with: C6 (what is not promotable is not equal)
func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x5x1xi64>, %arg2: tensor<2x5x4xi32>) {
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    stablehlo.return %arg3 : tensor<f32>
  }) : (tensor<2x3x4xf32>, tensor<2x5x1xi64>, tensor<2x5x4xi32>) -> tensor<2x3x4xf32>
  return
}
