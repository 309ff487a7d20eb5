// valid
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = arith.divsi %arg0, %arg1 : tensor<i8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = arith.divsi %arg0, %arg1 : (tensor<i8>, tensor<i8>) -> tensor<2xi8>
  return
}
