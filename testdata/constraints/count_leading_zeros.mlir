// valid
func.func @main(%arg0: tensor<2xi64>) {
  %0 = stablehlo.count_leading_zeros %arg0 : tensor<2xi64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i32>) {
  %0 = stablehlo.count_leading_zeros %arg0 : (tensor<i32>) -> tensor<i4>
  return
}
