// valid
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_power %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i1>) {
  %0 = chlo.broadcast_power %arg0, %arg1 : (tensor<i8>, tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = chlo.broadcast_power %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return
}
