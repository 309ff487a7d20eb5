module @jit_transpose attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x512x384xf32>) -> (tensor<8x384x512xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<8x512x384xf32>) -> tensor<8x384x512xf32>
    return %0 : tensor<8x384x512xf32>
  }
}
