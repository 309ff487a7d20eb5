// valid
func.func @main(%arg0: tensor<2x3x9x10xf32>, %arg1: tensor<3x3x10x5xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x9x10xf32>, tensor<3x3x10x5xf32>) -> tensor<2x3x0x6xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<1x4x16xf32>, %arg1: tensor<4x16xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x16xf32>, tensor<4x16xf32>) -> tensor<1x4x16xf32>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<1x3x16xf32>, %arg1: tensor<1x16x16xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2], [-1, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x16xf32>, tensor<1x16x16xf32>) -> tensor<1x1x16xf32>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<1x?x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x?x2xf32>, tensor<1x2x3xf32>) -> tensor<1x?x3xf32>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C9
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C10
func.func @main(%arg0: tensor<3x0x1x?xi8>, %arg1: tensor<3x3x2x4xi8>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<3x0x1x?xi8>, tensor<3x3x2x4xi8>) -> tensor<?x?x?x?xi8>
  return
}

// -----

// breaks: C11
func.func @main(%arg0: tensor<1x4x3xf32>, %arg1: tensor<1x?x4xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x3xf32>, tensor<1x?x4xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

// breaks: C12
// with: C27 (the types that upstream does not compare)
func.func @main(%arg0: tensor<2x8x8x8xi1>, %arg1: tensor<3x3x8x8xi1>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f]x[0, 1, o, i]->[b, 0, 1, f], window = {rhs_dilate = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x8xi1>, tensor<3x3x8x8xi1>) -> tensor<2x8x?x8xi4>
  return
}

// -----

// breaks: C13
module {
  func.func @main(%a0: tensor<4x4x2xf32>, %a1: tensor<1x4x2xf32>) {
    %r = "stablehlo.convolution"(%a0, %a1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<4x4x2xf32>, tensor<1x4x2xf32>) -> (tensor<4x4x2xf32>)
    return
  }
}

// -----

// breaks: C14
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x3x2xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x3x2xf32>) -> tensor<1x4x2xf32>
  return
}

// -----

// breaks: C15
func.func @main(%arg0: tensor<2x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C16
func.func @main(%arg0: tensor<2x4x2xf32>, %arg1: tensor<1x1x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x4x2xf32>, tensor<1x1x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

// breaks: C17
// with: C27 (the types that upstream does not compare)
func.func @main(%arg0: tensor<2x3x3xf32>, %arg1: tensor<3x3x5xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x3xf32>, tensor<3x3x5xf32>) -> tensor<2x3x6xi4>
  return
}

// -----

// breaks: C18
module {
  func.func @main(%a0: tensor<1x4x2xf32>, %a1: tensor<2x2x2xf32>) {
    %r = "stablehlo.convolution"(%a0, %a1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<2x2x2xf32>) -> (tensor<1x3x2xf32>)
    return
  }
}

// -----

// breaks: C19
// with: C25 (a shape has as many spatial sizes as dimensions are named)
module {
  func.func @main(%a0: tensor<1x4x4x2xf32>, %a1: tensor<1x1x2x4xf32>) {
    %r = "stablehlo.convolution"(%a0, %a1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<1x4x4x2xf32>, tensor<1x1x2x4xf32>) -> (tensor<1x4x4x4xf32>)
    return
  }
}

// -----

// breaks: C20
module {
  func.func @main(%a0: tensor<1x4x2xf32>, %a1: tensor<1x2x1xf32>) {
    %r = "stablehlo.convolution"(%a0, %a1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 0, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<1x2x1xf32>) -> (tensor<1x4x1xf32>)
    return
  }
}

// -----

// breaks: C21
// with: C27 (the types that upstream does not compare)
func.func @main(%arg0: tensor<2x3x9xf32>, %arg1: tensor<12x1x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<2x3x9xf32>, tensor<12x1x3xf32>) -> tensor<2x12x5xi8>
  return
}

// -----

// breaks: C22
func.func @main(%arg0: tensor<1x4x16xf32>, %arg1: tensor<4x16x16xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 2]]} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<1x4x16xf32>, tensor<4x16x16xf32>) -> tensor<1x4x16xf32>
  return
}

// -----

// breaks: C23
func.func @main(%arg0: tensor<2x4x2xf32>, %arg1: tensor<1x1x2xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x4x2xf32>, tensor<1x1x2xf32>) -> tensor<1x4x2xf32>
  return
}

// -----

// warns: C24
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C25
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x5x3xf32>
  return
}

// -----

// breaks: C26
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3x1xf32>
  return
}

// -----

// breaks: C27
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xi32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3xi32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: C28
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3xi8>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3xi8>) -> tensor<1x4x3x!quant.uniform<i32:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C29
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i8:f32:1, {1.000000e+00, 2.000000e+00}>>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i8:f32:1, {1.000000e+00, 2.000000e+00}>>) -> tensor<1x4x3x!quant.uniform<i32:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C30
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i8:f32:2, {1.000000e+00, 2.000000e+00, 3.000000e+00}>>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i8:f32:2, {1.000000e+00, 2.000000e+00, 3.000000e+00}>>) -> tensor<1x4x3x!quant.uniform<i32:f32:0, {1.000000e+00}>>
  return
}

// -----

// breaks: C31
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i4:f32, 1.000000e+00>>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i4:f32, 1.000000e+00>>) -> tensor<1x4x3x!quant.uniform<i32:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C32
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i8:f16, 1.000000e+00>>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i8:f16, 1.000000e+00>>) -> tensor<1x4x3x!quant.uniform<i32:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C33
func.func @main(%arg0: tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x2x3x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x2x3x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<1x4x3x!quant.uniform<i32:f32:2, {1.000000e+00, 2.000000e+00, 3.000000e+00}>>
  return
}

// -----

// breaks: C34
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<1x2x3x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<1x4x3xf16>
  return
}

// -----

// breaks: U1
// with: C24 (three is not two)
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<1x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x2xf32>, tensor<1x2x3xf32>) -> tensor<1x4x3xf32>
  return
}

// -----

// breaks: U2
// with: C2, C4, C5, C7, C9, C12, C13, C17, C18, C19, C20 (there is no room for batch and feature dimensions)
module {
  func.func @main(%a0: tensor<4xf32>, %a1: tensor<4xf32>) {
    %r = "stablehlo.convolution"(%a0, %a1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [], kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [], output_batch_dimension = 0, output_feature_dimension = 0, output_spatial_dimensions = []>, feature_group_count = 1 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    return
  }
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<1x4x2xf32>, %arg1: tensor<0x2x3xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, tensor<0x2x3xf32>) -> tensor<1x5x3xf32>
  return
}

// -----

// warns: C27
func.func @main(%arg0: tensor<1x4x4x1xf32>, %arg1: tensor<3x3x1x1xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf64>
  return
}
