// valid
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = chlo.broadcast_shift_right_arithmetic %arg0, %arg1 : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i1>) {
  %0 = chlo.broadcast_shift_right_arithmetic %arg0, %arg1 : (tensor<i8>, tensor<i1>) -> tensor<i8>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = chlo.broadcast_shift_right_arithmetic %arg0, %arg1 : (tensor<i8>, tensor<i8>) -> tensor<4xi8>
  return
}
