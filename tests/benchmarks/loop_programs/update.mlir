module @jit_update attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<500x1000xf32>, %arg1: tensor<1000xf32>) -> (tensor<500x1000xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %c_0, %iterArg_2 = %c, %iterArg_3 = %arg0) : tensor<1000xf32>, tensor<i32>, tensor<i32>, tensor<500x1000xf32>
    cond {
      %c_4 = stablehlo.constant dense<500> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3) : (tensor<1000xf32>, tensor<i32>, tensor<500x1000xf32>) -> (tensor<i32>, tensor<500x1000xf32>)
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_1, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %2, %1#0, %1#1 : tensor<1000xf32>, tensor<i32>, tensor<i32>, tensor<500x1000xf32>
    }
    return %0#3 : tensor<500x1000xf32>
  }
  func.func private @closed_call(%arg0: tensor<1000xf32>, %arg1: tensor<i32>, %arg2: tensor<500x1000xf32>) -> (tensor<i32>, tensor<500x1000xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %1 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1000xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<1000xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<1000xf32>) -> tensor<1x1000xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.convert %arg1 : tensor<i32>
    %c_1 = stablehlo.constant dense<500> : tensor<i32>
    %7 = stablehlo.add %6, %c_1 : tensor<i32>
    %8 = stablehlo.select %5, %7, %arg1 : tensor<i1>, tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.dynamic_update_slice %arg2, %4, %8, %c_2 : (tensor<500x1000xf32>, tensor<1x1000xf32>, tensor<i32>, tensor<i32>) -> tensor<500x1000xf32>
    return %0, %9 : tensor<i32>, tensor<500x1000xf32>
  }
}
