// valid
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = arith.ori %arg0, %arg1 : tensor<i8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = arith.ori %arg0, %arg1 : (tensor<i1>, tensor<i1>) -> tensor<i8>
  return
}
