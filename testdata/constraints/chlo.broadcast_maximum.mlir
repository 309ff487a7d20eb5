// valid
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_maximum %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = chlo.broadcast_maximum %arg0, %arg1 : (tensor<i1>, tensor<i1>) -> tensor<f32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i1>, %arg1: tensor<3xi1>) {
  %0 = chlo.broadcast_maximum %arg0, %arg1 : (tensor<i1>, tensor<3xi1>) -> tensor<i1>
  return
}
