// valid
func.func @main(%arg0: tensor<2xi1>, %arg1: tensor<0xi1>, %arg2: tensor<i1>) {
  %0 = chlo.broadcast_select %arg0, %arg1, %arg2 : (tensor<2xi1>, tensor<0xi1>, tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i1>, %arg1: tensor<3xi8>, %arg2: tensor<2xi1>) {
  %0 = chlo.broadcast_select %arg0, %arg1, %arg2 : (tensor<i1>, tensor<3xi8>, tensor<2xi1>) -> tensor<i1>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i1>, %arg1: tensor<2xi4>, %arg2: tensor<i4>) {
  %0 = chlo.broadcast_select %arg0, %arg1, %arg2 : (tensor<i1>, tensor<2xi4>, tensor<i4>) -> tensor<i1>
  return
}
