// valid
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = chlo.broadcast_shift_left %arg0, %arg1 : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f16>, %arg1: tensor<f32>) {
  %0 = chlo.broadcast_shift_left %arg0, %arg1 : (tensor<f16>, tensor<f32>) -> tensor<i1>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = chlo.broadcast_shift_left %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<1xf32>
  return
}
