module @jit_stencil attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @_pad(%arg0, %c) : (tensor<1024x1024xf32>, tensor<i32>) -> tensor<1026x1026xf32>
    %1 = stablehlo.slice %0 [0:1024, 1:1025] : (tensor<1026x1026xf32>) -> tensor<1024x1024xf32>
    %2 = stablehlo.slice %0 [2:1026, 1:1025] : (tensor<1026x1026xf32>) -> tensor<1024x1024xf32>
    %3 = stablehlo.add %1, %2 : tensor<1024x1024xf32>
    %4 = stablehlo.slice %0 [1:1025, 0:1024] : (tensor<1026x1026xf32>) -> tensor<1024x1024xf32>
    %5 = stablehlo.add %3, %4 : tensor<1024x1024xf32>
    %6 = stablehlo.slice %0 [1:1025, 2:1026] : (tensor<1026x1026xf32>) -> tensor<1024x1024xf32>
    %7 = stablehlo.add %5, %6 : tensor<1024x1024xf32>
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
    %9 = stablehlo.multiply %8, %arg0 : tensor<1024x1024xf32>
    %10 = stablehlo.subtract %7, %9 : tensor<1024x1024xf32>
    return %10 : tensor<1024x1024xf32>
  }
  func.func private @_pad(%arg0: tensor<1024x1024xf32>, %arg1: tensor<i32>) -> tensor<1026x1026xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1026x1026xf32>
    return %1 : tensor<1026x1026xf32>
  }
}
