module @typical attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<i32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.reshape %1 : (tensor<2xf32>) -> tensor<2x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %4 = stablehlo.subtract %0, %3 : tensor<2x3xf32>
    %5 = stablehlo.exponential %4 : tensor<2x3xf32>
    %6 = stablehlo.reduce(%5 init: %cst) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%arg3: tensor<f32>, %arg4: tensor<f32>) {
      %16 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %8 = stablehlo.divide %5, %7 : tensor<2x3xf32>
    %9 = stablehlo.negate %8 : tensor<2x3xf32>
    %10 = stablehlo.compare GT, %8, %9, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %11 = stablehlo.select %10, %8, %9 : tensor<2x3xi1>, tensor<2x3xf32>
    %12 = stablehlo.iota dim = 0 : tensor<4xi32>
    %13 = stablehlo.slice %12 [0:2] : (tensor<4xi32>) -> tensor<2xi32>
    %14 = stablehlo.concatenate %13, %c, dim = 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
    %15 = call @scaled(%11, %arg2) : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
    return %15 : tensor<2x3xf32>
  }
  func.func private @scaled(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>) -> tensor<2x3xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<2x3xf32>
    return %3 : tensor<2x3xf32>
  }
}
