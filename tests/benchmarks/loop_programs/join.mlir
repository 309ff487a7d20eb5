module @jit_join attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1000x1000xf32>, %arg1: tensor<1000x100xf32>) -> (tensor<2000x1000xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:1000, 0:900] : (tensor<1000x1000xf32>) -> tensor<1000x900xf32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 1 : (tensor<1000x900xf32>, tensor<1000x100xf32>) -> tensor<1000x1000xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1000x1000xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<1000x1000xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1000x1000xf32>
    %5 = stablehlo.add %arg0, %4 : tensor<1000x1000xf32>
    %6 = stablehlo.concatenate %3, %5, dim = 0 : (tensor<1000x1000xf32>, tensor<1000x1000xf32>) -> tensor<2000x1000xf32>
    return %6 : tensor<2000x1000xf32>
  }
}
