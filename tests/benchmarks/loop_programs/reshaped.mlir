module @jit_reshaped attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x18432xf32>, %arg1: tensor<32xf32>) -> (tensor<64x18432xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<64x18432xf32>) -> tensor<64x32x24x24xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x32x24x24xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<64x32x24x24xf32>
    %3 = stablehlo.reshape %arg1 : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<64x32x24x24xf32>
    %5 = stablehlo.add %2, %4 : tensor<64x32x24x24xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x32x24x24xf32>
    %7 = stablehlo.maximum %5, %6 : tensor<64x32x24x24xf32>
    %8 = stablehlo.reshape %7 : (tensor<64x32x24x24xf32>) -> tensor<64x18432xf32>
    return %8 : tensor<64x18432xf32>
  }
}
