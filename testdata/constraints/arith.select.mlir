// valid
func.func @main(%arg0: i1, %arg1: tensor<2xi32>, %arg2: tensor<2xi32>) {
  %0 = "arith.select"(%arg0, %arg1, %arg2) : (i1, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: i1, %arg1: index, %arg2: tensor<i1>) {
  %0 = "arith.select"(%arg0, %arg1, %arg2) : (i1, index, tensor<i1>) -> tensor<i8>
  return
}
