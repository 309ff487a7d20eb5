module @typical attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<i32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.reshape %1 : (tensor<2xf32>) -> tensor<2x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %4 = stablehlo.subtract %0, %3 : tensor<2x3xf32>
    %5 = stablehlo.exponential %4 : tensor<2x3xf32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %8 = stablehlo.divide %5, %7 : tensor<2x3xf32>
    %9 = stablehlo.iota dim = 0 : tensor<4xi32>
    %10 = stablehlo.slice %9 [0:2] : (tensor<4xi32>) -> tensor<2xi32>
    %11 = stablehlo.concatenate %10, %c, dim = 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
    %12 = stablehlo.pad %11, %c_1, low = [0], high = [1], interior = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<5xi32>
    %13 = stablehlo.dynamic_slice %12, %c_1, sizes = [4] : (tensor<5xi32>, tensor<i32>) -> tensor<4xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %15 = "stablehlo.gather"(%8, %14) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
    %16 = "stablehlo.scatter"(%8, %14, %15) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %19 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %19 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %17:2 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %16) : tensor<i32>, tensor<2x3xf32>
    cond {
      %19 = stablehlo.compare LT, %iterArg, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %19 : tensor<i1>
    } do {
      %19 = func.call @scaled(%iterArg_2, %iterArg) : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %20 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %20, %19 : tensor<i32>, tensor<2x3xf32>
    }
    %18 = call @scaled(%17#1, %arg2) : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
    return %18 : tensor<2x3xf32>
  }
  func.func private @scaled(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>) -> tensor<2x3xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<2x3xf32>
    %4 = stablehlo.abs %3 : tensor<2x3xf32>
    %5 = stablehlo.sqrt %4 : tensor<2x3xf32>
    %6 = stablehlo.negate %5 : tensor<2x3xf32>
    %7 = stablehlo.compare GT, %6, %3, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %8 = stablehlo.compare LT, %6, %5, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %9 = stablehlo.and %7, %8 : tensor<2x3xi1>
    %10 = stablehlo.select %9, %3, %6 : tensor<2x3xi1>, tensor<2x3xf32>
    %11 = stablehlo.minimum %10, %5 : tensor<2x3xf32>
    %12 = stablehlo.maximum %11, %2 : tensor<2x3xf32>
    return %12 : tensor<2x3xf32>
  }
}
