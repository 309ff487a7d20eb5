// valid
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = stablehlo.subtract %arg0, %arg1 : tensor<i8>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.subtract %arg0, %arg1 : (tensor<i4>, tensor<i4>) -> tensor<i8>
  return
}
