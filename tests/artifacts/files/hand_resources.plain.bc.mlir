module {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi64>, tensor<4xf32>, tensor<3xi8>) {
    %cst = stablehlo.constant dense_resource<weights> : tensor<4xf32>
    %c = stablehlo.constant dense_resource<longs> : tensor<2xi64>
    %0 = stablehlo.add %arg0, %cst : tensor<4xf32>
    %c_0 = stablehlo.constant dense_resource<bytes> : tensor<3xi8>
    %cst_1 = stablehlo.constant dense_resource<absent> : tensor<4xf32>
    %cst_2 = stablehlo.constant dense_resource<weights> : tensor<4xf32>
    return %0, %c, %cst_2, %c_0 : tensor<4xf32>, tensor<2xi64>, tensor<4xf32>, tensor<3xi8>
  }
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F000000400000404000008040",
      longs: "0x100000000100000000000000FFFFFFFFFFFFFFFF",
      bytes: "0x0100000001FF07"
    }
  }
#-}
