// valid
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.minimum %arg0, %arg1 : tensor<i4>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = stablehlo.minimum %arg0, %arg1 : (tensor<i8>, tensor<i8>) -> tensor<i4>
  return
}
