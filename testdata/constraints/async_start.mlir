// valid
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%arg0) ({
  ^bb0(%arg1: tensor<4xf32>):
    %1 = "stablehlo.collective_permute"(%arg1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%arg0) ({
  ^bb0(%arg1: tensor<4xf32>):
    %1 = "stablehlo.collective_permute"(%arg1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "stablehlo.collective_permute"(%1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

// breaks: C2
func.func @main() {
  %0 = "stablehlo.async_start"() ({
    %1 = stablehlo.custom_call @f() : () -> tensor<128xf32>
    stablehlo.return %1 : tensor<128xf32>
  }) : () -> !stablehlo.future<tensor<128xf32>>
  return
}

// -----

// breaks: C3
func.func @main() {
  %0 = "stablehlo.async_start"() ({
  ^bb0(%arg0: tensor<128xf32>):
    %1 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<128xf32>) -> tensor<128xf32>
    stablehlo.return %1 : tensor<128xf32>
  }) : () -> !stablehlo.future<tensor<128xf32>>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<128xf32>) {
  %0 = "stablehlo.async_start"(%arg0) ({
  ^bb0(%arg1: tensor<128xf32>):
    %1 = "stablehlo.collective_permute"(%arg1) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<128xf32>) -> tensor<128xf32>
    stablehlo.return %1 : tensor<128xf32>
  }) : (tensor<128xf32>) -> !stablehlo.future<tensor<f32>>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%arg0) ({
  ^bb0(%arg1: tensor<4xf32>):
    %1 = "stablehlo.collective_permute"(%arg1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %1, %arg1 : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>, tensor<4xf32>>
  return
}
