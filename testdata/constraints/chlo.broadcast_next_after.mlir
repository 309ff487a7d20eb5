// valid
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i4>, %arg1: tensor<2xi1>) {
  %0 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<i4>, tensor<2xi1>) -> tensor<2xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<1xi32>
  return
}
