module @jit_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<256x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<512x512xf32>, %arg3: tensor<512x512xf32>, %arg4: tensor<512x512xf32>) -> (tensor<256x512xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<256x512xf32>) -> tensor<256x8x64xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0, 2] : (tensor<256x8x64xf32>) -> tensor<8x256x64xf32>
    %3 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
    %4 = stablehlo.reshape %3 : (tensor<256x512xf32>) -> tensor<256x8x64xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0, 2] : (tensor<256x8x64xf32>) -> tensor<8x256x64xf32>
    %6 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
    %7 = stablehlo.reshape %6 : (tensor<256x512xf32>) -> tensor<256x8x64xf32>
    %8 = stablehlo.transpose %7, dims = [1, 0, 2] : (tensor<256x8x64xf32>) -> tensor<8x256x64xf32>
    %9 = stablehlo.dot_general %2, %5, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x256x64xf32>, tensor<8x256x64xf32>) -> tensor<8x256x256xf32>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x256x256xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<8x256x256xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_0) applies stablehlo.maximum across dimensions = [2] : (tensor<8x256x256xf32>, tensor<f32>) -> tensor<8x256xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<8x256xf32>) -> tensor<8x256x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<8x256x1xf32>) -> tensor<8x256x256xf32>
    %15 = stablehlo.subtract %11, %14 : tensor<8x256x256xf32>
    %16 = stablehlo.exponential %15 : tensor<8x256x256xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x256x256xf32>, tensor<f32>) -> tensor<8x256xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<8x256xf32>) -> tensor<8x256x1xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<8x256x1xf32>) -> tensor<8x256x256xf32>
    %20 = stablehlo.divide %16, %19 : tensor<8x256x256xf32>
    %21 = stablehlo.dot_general %20, %8, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x256x256xf32>, tensor<8x256x64xf32>) -> tensor<8x256x64xf32>
    %22 = stablehlo.transpose %21, dims = [1, 0, 2] : (tensor<8x256x64xf32>) -> tensor<256x8x64xf32>
    %23 = stablehlo.reshape %22 : (tensor<256x8x64xf32>) -> tensor<256x512xf32>
    %24 = stablehlo.dot_general %23, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
    %25 = stablehlo.add %arg0, %24 : tensor<256x512xf32>
    return %25 : tensor<256x512xf32>
  }
}
