// valid
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = arith.subi %arg0, %arg1 : tensor<i8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<3xi4>, %arg1: tensor<i4>) {
  %0 = arith.subi %arg0, %arg1 : (tensor<3xi4>, tensor<i4>) -> tensor<i4>
  return
}
