// valid
func.func @main(%arg0: tensor<3x256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<256xf32>, %arg3: tensor<256xf32>, %arg4: tensor<256xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 2.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<3x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<3x256xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<4x256xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>, %arg3: tensor<2xf32>, %arg4: tensor<2xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 5.000000e-01 : f32, feature_index = 2 : i64}> : (tensor<4x256xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x256xf32>
  return
}

// -----

// breaks: C2
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%arg0: tensor<4x?xf32, #stablehlo.bounds<?, 64>>, %arg1: tensor<?xf32>, %arg2: tensor<?xf32>, %arg3: tensor<2xf64>, %arg4: tensor<?xf32>) {
    %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = -1.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<4x?xf32, #stablehlo.bounds<?, 64>>, tensor<?xf32>, tensor<?xf32>, tensor<2xf64>, tensor<?xf32>) -> tensor<4x?xf32, #stablehlo.bounds<?, 64>>
    return
  }
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<4x256xf32>, %arg1: tensor<2xf32>, %arg2: tensor<256xf32>, %arg3: tensor<256xf32>, %arg4: tensor<256xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<4x256xf32>, tensor<2xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<4x256xf32>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<3x256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<2xf32>, %arg3: tensor<256xf32>, %arg4: tensor<256xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 5.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<3x256xf32>, tensor<256xf32>, tensor<2xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<3x256xf32>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<3x256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<256xf32>, %arg3: tensor<4xf32>, %arg4: tensor<256xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 2.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<3x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<4xf32>, tensor<256xf32>) -> tensor<3x256xf32>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<3x256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<256xf32>, %arg3: tensor<256xf32>, %arg4: tensor<2xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 5.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<3x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<2xf32>) -> tensor<3x256xf32>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<3x256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<256xf32>, %arg3: tensor<256xf32>, %arg4: tensor<256xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 2.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<3x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<3xf32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<3x?xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<6xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 1.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<3x?xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>) -> tensor<3x4xf32>
  return
}
