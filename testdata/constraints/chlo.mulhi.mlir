// valid
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.mulhi %arg0, %arg1 : tensor<i32>, tensor<i32> -> tensor<i32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = chlo.mulhi %arg0, %arg1 : tensor<i4>, tensor<i4> -> tensor<i8>
  return
}
