module @jit_transposed attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<768x1024xf32>, %arg1: tensor<1024x768xf32>) -> (tensor<768x1024xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<768x1024xf32>) -> tensor<1024x768xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1024x768xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<1024x768xf32>
    %3 = stablehlo.add %2, %arg1 : tensor<1024x768xf32>
    %4 = stablehlo.tanh %3 : tensor<1024x768xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<1024x768xf32>) -> tensor<768x1024xf32>
    %6 = stablehlo.add %5, %arg0 : tensor<768x1024xf32>
    return %6 : tensor<768x1024xf32>
  }
}
