// valid
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = arith.maxsi %arg0, %arg1 : tensor<i8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = arith.maxsi %arg0, %arg1 : (tensor<i4>, tensor<i4>) -> tensor<3xi4>
  return
}
