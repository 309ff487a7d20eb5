// valid
func.func @main(%arg0: tensor<i4>) {
  %0 = stablehlo.convert %arg0 : tensor<i4>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>) {
  %0 = stablehlo.convert %arg0 : (tensor<i8>) -> tensor<3xi64>
  return
}
