// valid
func.func @main(%arg0: tensor<100x1x3x32xi8>, %arg1: tensor<3x3x1x32xi8>, %arg2: tensor<2x2xi4>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<100x1x3x32xi8>, tensor<3x3x1x32xi8>, tensor<2x2xi4>) -> tensor<100x1x2x1xi8>
  return
}

// -----

// breaks: C1
// with: C27 (the types that upstream does not compare)
func.func @main(%arg0: tensor<1x8x8x4xf32>, %arg1: tensor<f32>, %arg2: tensor<2x2xi4>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<f32>, tensor<2x2xi4>) -> tensor<1x8x8x4xi4>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1, 1>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// warns: C2
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>, %c: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1, 1>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 0>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// warns: C3
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>, %c: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 0>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C4
// with: C27 (the types that upstream does not compare)
func.func @main(%arg0: tensor<4x26x2x32xi1>, %arg1: tensor<3x3x1x32xi1>, %arg2: tensor<2x3xi32>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>}> : (tensor<4x26x2x32xi1>, tensor<3x3x1x32xi1>, tensor<2x3xi32>) -> tensor<?x?x?x?xi8>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// warns: C5
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>, %c: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<1x?x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 0>}> : (tensor<1x?x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x?x3xf32>
  return
}

// -----

// warns: C6
func.func @main(%arg0: tensor<1x?x2xf32>, %arg1: tensor<1x2x3xf32>, %c: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 0>}> : (tensor<1x?x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x?x3xf32>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 1, 1>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// warns: C7
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>, %c: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 1, 1>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 0>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// warns: C8
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>, %c: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 0>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C9
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_reversal = array<i1: false, false>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// warns: C9
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>, %c: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_reversal = array<i1: false, false>}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C10
// with: C27 (the types that upstream does not compare)
func.func @main(%arg0: tensor<1x0x?x0xi4>, %arg1: tensor<?x?x?x?xi4>, %arg2: tensor<2x2xi8>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 3 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>}> : (tensor<1x0x?x0xi4>, tensor<?x?x?x?xi4>, tensor<2x2xi8>) -> tensor<?x3x0x1xi1>
  return
}

// -----

// breaks: C11
func.func @main(%arg0: tensor<1x4x3xf32>, %arg1: tensor<1x?x4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64}> : (tensor<1x4x3xf32>, tensor<1x?x4xf32>, tensor<1x2xi64>) -> tensor<1x4x4xf32>
  return
}

// -----

// breaks: C12
func.func @main(%arg0: tensor<1x4x4x2xf32>, %arg1: tensor<1x1x2x4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<1x4x4x2xf32>, tensor<1x1x2x4xf32>, tensor<2x2xi64>) -> tensor<1x4x4x4xf32>
  return
}

// -----

// breaks: C13
func.func @main(%arg0: tensor<4x4x2xf32>, %arg1: tensor<1x4x2xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<4x4x2xf32>, tensor<1x4x2xf32>, tensor<1x2xi64>) -> tensor<4x4x2xf32>
  return
}

// -----

// breaks: C14
func.func @main(%arg0: tensor<1x8x8x2xf32>, %arg1: tensor<3x3x1x16xf32>, %arg2: tensor<2x2xi4>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x2xf32>, tensor<3x3x1x16xf32>, tensor<2x2xi4>) -> tensor<1x8x8x16xf32>
  return
}

// -----

// breaks: C15
func.func @main(%arg0: tensor<2x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<2x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C16
func.func @main(%arg0: tensor<2x4x2xf32>, %arg1: tensor<1x1x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64}> : (tensor<2x4x2xf32>, tensor<1x1x3xf32>, tensor<1x2xi64>) -> tensor<2x4x3xf32>
  return
}

// -----

// breaks: C17
func.func @main(%arg0: tensor<1x4x4x2xf32>, %arg1: tensor<1x1x2x4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64}> : (tensor<1x4x4x2xf32>, tensor<1x1x2x4xf32>, tensor<2x2xi64>) -> tensor<1x4x4x4xf32>
  return
}

// -----

// breaks: C18
// with: C27 (the types that upstream does not compare)
func.func @main(%arg0: tensor<100x26x1x32xf32>, %arg1: tensor<3x3x1x32xf32>, %arg2: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 3, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64}> : (tensor<100x26x1x32xf32>, tensor<3x3x1x32xf32>, tensor<2x2xi64>) -> tensor<100x3x28x1xi8>
  return
}

// -----

// breaks: C19
// with: C25 (a shape has as many spatial sizes as dimensions are named)
func.func @main(%arg0: tensor<1x4x4x2xf32>, %arg1: tensor<1x1x2x4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<1x4x4x2xf32>, tensor<1x1x2x4xf32>, tensor<2x2xi64>) -> tensor<1x4x4x4xf32>
  return
}

// -----

// breaks: C20
func.func @main(%arg0: tensor<100x26x26x32xf32>, %arg1: tensor<3x3x1x32xf32>, %arg2: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 3, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [0, 3]>, feature_group_count = 1 : i64}> : (tensor<100x26x26x32xf32>, tensor<3x3x1x32xf32>, tensor<2x2xi64>) -> tensor<100x3x28x1xf32>
  return
}

// -----

// breaks: C21
func.func @main(%arg0: tensor<?x?x?x?xf64>, %arg1: tensor<3x3x1x32xf64>, %arg2: tensor<2x2xi32>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 0 : i64, lhs_dilation = array<i64: 2, 2>, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 2, 1>}> : (tensor<?x?x?x?xf64>, tensor<3x3x1x32xf64>, tensor<2x2xi32>) -> tensor<100x28x28x1xf64>
  return
}

// -----

// breaks: C22
// with: C27 (the types that upstream does not compare)
func.func @main(%arg0: tensor<50x26x26x32xi8>, %arg1: tensor<1x3x1x32xi8>, %arg2: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 0 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<50x26x26x32xi8>, tensor<1x3x1x32xi8>, tensor<2x2xi64>) -> tensor<100x28x28x1xi4>
  return
}

// -----

// breaks: C23
func.func @main(%arg0: tensor<2x4x2xf32>, %arg1: tensor<1x1x2xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 2 : i64}> : (tensor<2x4x2xf32>, tensor<1x1x2xf32>, tensor<1x2xi64>) -> tensor<1x4x2xf32>
  return
}

// -----

// warns: C24
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// warns: C25
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x5x3xf32>
  return
}

// -----

// warns: C26
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>, %arg2: tensor<1x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3x1xf32>
  return
}

// -----

// breaks: C27
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xi32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x3xi32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C28
func.func @main(%arg0: tensor<100x4x4x32xi32>, %arg1: tensor<3x3x1x32xi4>, %arg2: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<100x4x4x32xi32>, tensor<3x3x1x32xi4>, tensor<2x2xi64>) -> tensor<100x1x4x1x!quant.uniform<i32:f32, 2.000000e+00>>
  return
}

// -----

// breaks: C29
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i8:f32:1, {1.000000e+00, 2.000000e+00}>>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i8:f32:1, {1.000000e+00, 2.000000e+00}>>, tensor<1x2xi64>) -> tensor<1x4x3x!quant.uniform<i32:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C30
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i8:f32:2, {1.000000e+00, 2.000000e+00, 3.000000e+00}>>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i8:f32:2, {1.000000e+00, 2.000000e+00, 3.000000e+00}>>, tensor<1x2xi64>) -> tensor<1x4x3x!quant.uniform<i32:f32:0, {1.000000e+00}>>
  return
}

// -----

// breaks: C31
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i4:f32, 1.000000e+00>>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i4:f32, 1.000000e+00>>, tensor<1x2xi64>) -> tensor<1x4x3x!quant.uniform<i32:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C32
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i8:f16, 1.000000e+00>>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i8:f16, 1.000000e+00>>, tensor<1x2xi64>) -> tensor<1x4x3x!quant.uniform<i32:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C33
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2xi64>) -> tensor<1x4x3x!quant.uniform<i32:f32:2, {1.000000e+00, 2.000000e+00, 3.000000e+00}>>
  return
}

// -----

// breaks: C34
func.func @main(%arg0: tensor<100x26x26x32xi8>, %arg1: tensor<3x3x1x32x!quant.uniform<i8:f32, 1.000000e+00>>, %arg2: tensor<2x2xi8>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<100x26x26x32xi8>, tensor<3x3x1x32x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<2x2xi8>) -> tensor<100x4x28x1xi8>
  return
}

// -----

// breaks: U1
// with: C24 (three is not two)
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: U2
// with: C2, C4, C5, C7, C9, C12, C13, C17, C18, C19, C20 (there is no room for batch and feature dimensions)
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<0x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [], kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [], output_batch_dimension = 0, output_feature_dimension = 0, output_spatial_dimensions = []>, feature_group_count = 1 : i64}> : (tensor<4xf32>, tensor<4xf32>, tensor<0x2xi64>) -> tensor<4xf32>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<0x2x3xf32>) {
  %c = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<0x2x3xf32>, tensor<1x2xi64>) -> tensor<1x5x3xf32>
  return
}

// -----

// warns: C27
func.func @main(%arg0: tensor<1x4x4x1xf32>, %arg1: tensor<3x3x1x1xf32>, %arg2: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>, tensor<2x2xi64>) -> tensor<1x?x?x1xf64>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<1x4x2xf32>
  %k = stablehlo.constant dense<1.0> : tensor<1x2x3xf32>
  %pc = stablehlo.constant dense<-1> : tensor<1x2xi64>
  %p = stablehlo.negate %pc : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  }> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x4x3xf32>
  return
}

// -----

// stops: R2
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<1x4x2xf32>
  %k = stablehlo.constant dense<1.0> : tensor<1x2x3xf32>
  %pc = stablehlo.constant dense<-1> : tensor<1x2xi64>
  %p = stablehlo.negate %pc : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  }> : (tensor<1x4x2xf32>, tensor<1x2x3xf32>, tensor<1x2xi64>) -> tensor<1x5x3x1xf32>
  return
}
