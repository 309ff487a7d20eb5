func.func @f(%a: tensor<1x8x8x16xf32>, %k: tensor<3x3x16x4xf32>, %p: tensor<?x2xi32>) {
  %4 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>}> : (tensor<1x8x8x16xf32>, tensor<3x3x16x4xf32>, tensor<?x2xi32>) -> tensor<1x?x?x4xf32>
  func.return
}

// -----

func.func @f(%a: tensor<1x8x8x16xf32>, %k: tensor<3x3x16x4xf32>, %p: tensor<0x0xi32>) {
  %4 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>}> : (tensor<1x8x8x16xf32>, tensor<3x3x16x4xf32>, tensor<0x0xi32>) -> tensor<1x?x?x4xf32>
  func.return
}

// -----

func.func @f() { "func.return"() {a = array<i64: >, b = array<i64>} : () -> () }
