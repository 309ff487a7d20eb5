module @jit_short_rows attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<100000x4xf32>) -> (tensor<100000x4xf32> {jax.result_info = "result[0]"}, tensor<100000x4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<100000x4xf32>, tensor<f32>) -> tensor<100000xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<100000xf32>) -> tensor<100000x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<100000x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<100000x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<100000x1xf32>) -> tensor<100000x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<100000x4xf32>
    %6 = stablehlo.multiply %arg0, %arg0 : tensor<100000x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<100000x4xf32>, tensor<f32>) -> tensor<100000xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<100000xf32>) -> tensor<100000x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<100000x1xf32>) -> tensor<100000x4xf32>
    %10 = stablehlo.multiply %arg0, %9 : tensor<100000x4xf32>
    return %5, %10 : tensor<100000x4xf32>, tensor<100000x4xf32>
  }
}
