// valid
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = stablehlo.and %arg0, %arg1 : tensor<i1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = stablehlo.and %arg0, %arg1 : (tensor<i8>, tensor<i8>) -> tensor<?xi8>
  return
}
