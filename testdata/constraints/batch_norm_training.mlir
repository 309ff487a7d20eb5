// valid
func.func @main(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>)
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<2x2x2x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-03 : f32, feature_index = 4 : i64}> : (tensor<2x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e+00 : f32, feature_index = 0 : i64}> : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<?xf64>, tensor<?xf16>, tensor<?xf64>)
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<1xf64>, %arg1: tensor<2xf64>, %arg2: tensor<?xf64>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 5.000000e-01 : f32, feature_index = 0 : i64}> : (tensor<1xf64>, tensor<2xf64>, tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>)
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<3xf64>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 2.000000e+00 : f32, feature_index = 0 : i64}> : (tensor<2xf64>, tensor<2xf64>, tensor<3xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>)
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<?x?x2x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 0.000000e+00 : f32, feature_index = 2 : i64}> : (tensor<?x?x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<?x?x2x2xf32>, tensor<4xf32>, tensor<2xf32>)
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<?x?x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 5.000000e-01 : f32, feature_index = 2 : i64}> : (tensor<?x?x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<?x?x2xf32>, tensor<2xf32>, tensor<1xf32>)
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>, %arg2: tensor<2xf64>) {
  %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 5.000000e-01 : f32, feature_index = 0 : i64}> : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<1x?xf64>, tensor<?xf64>, tensor<?xf64>)
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<3x?xf32>, %arg1: tensor<4xf32>, %arg2: tensor<6xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.0 : f32, feature_index = 1 : i64}> : (tensor<3x?xf32>, tensor<4xf32>, tensor<6xf32>) -> (tensor<3x?xf32>, tensor<?xf32>, tensor<?xf32>)
  return
}
