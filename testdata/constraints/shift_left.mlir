// valid
func.func @main(%arg0: tensor<i64>, %arg1: tensor<i64>) {
  %0 = stablehlo.shift_left %arg0, %arg1 : tensor<i64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<7xi64>, %arg1: tensor<i64>) {
  %0 = stablehlo.shift_left %arg0, %arg1 : (tensor<7xi64>, tensor<i64>) -> tensor<i64>
  return
}
