// valid
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = arith.minui %arg0, %arg1 : tensor<i8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = arith.minui %arg0, %arg1 : (tensor<i8>, tensor<i8>) -> tensor<i4>
  return
}
