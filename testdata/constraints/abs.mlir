// valid
func.func @main(%arg0: tensor<i4>) {
  %0 = stablehlo.abs %arg0 : tensor<i4>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i64>) {
  %0 = stablehlo.abs %arg0 : (tensor<i64>) -> tensor<3xi64>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i8>) {
  %0 = stablehlo.abs %arg0 : (tensor<i8>) -> tensor<i4>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<8x4xf32>) {
  %0 = stablehlo.abs %arg0 : (tensor<8x4xf32>) -> tensor<?x4xf32, #stablehlo.bounds<3, ?>>
  return
}
