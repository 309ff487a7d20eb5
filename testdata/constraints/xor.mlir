// valid
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.xor %arg0, %arg1 : tensor<i4>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<1xi8>, %arg1: tensor<i8>) {
  %0 = stablehlo.xor %arg0, %arg1 : (tensor<1xi8>, tensor<i8>) -> tensor<i8>
  return
}
