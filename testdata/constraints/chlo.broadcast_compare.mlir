// valid
func.func @main(%arg0: tensor<i64>, %arg1: tensor<i64>) {
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<i8>, tensor<i32>) -> tensor<i1>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<i4>, tensor<i4>) -> tensor<?xi1>
  return
}
