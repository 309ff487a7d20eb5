// valid
func.func @main(%arg0: !stablehlo.token) {
  %0 = "stablehlo.send"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// warns: C1
func.func @main(%arg0: tensor<f32>, %arg1: !stablehlo.token) {
  %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// warns: C2
func.func @main(%arg0: tensor<f32>, %arg1: !stablehlo.token) {
  %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// warns: C3
func.func @main(%arg0: tensor<f32>, %arg1: !stablehlo.token) {
  %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// warns: C4
func.func @main(%arg0: tensor<f32>, %arg1: !stablehlo.token) {
  %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// breaks: C5
func.func @main(%arg0: !stablehlo.token) {
  %0 = "stablehlo.send"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>}> : (!stablehlo.token) -> !stablehlo.token
  return
}
