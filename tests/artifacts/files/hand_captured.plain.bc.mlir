module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0:2 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %arg1) : tensor<f32>, tensor<f32>
    cond {
      stablehlo.return %arg0 : tensor<i1>
    } do {
      %1 = stablehlo.add %arg2, %arg1 : tensor<f32>
      stablehlo.return %1, %arg1 : tensor<f32>, tensor<f32>
    }
    return %0#0 : tensor<f32>
  }
}
