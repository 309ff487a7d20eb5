// valid
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_divide %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i4>) {
  %0 = chlo.broadcast_divide %arg0, %arg1 : (tensor<i32>, tensor<i4>) -> tensor<i4>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_divide %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<1xi32>
  return
}
