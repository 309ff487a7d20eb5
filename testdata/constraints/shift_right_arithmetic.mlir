// valid
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<i4>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<2xi64>, %arg1: tensor<i64>) {
  %0 = stablehlo.shift_right_arithmetic %arg0, %arg1 : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  return
}
