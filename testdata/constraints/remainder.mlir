// valid
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.remainder %arg0, %arg1 : tensor<i4>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.remainder %arg0, %arg1 : (tensor<i4>, tensor<i4>) -> tensor<f16>
  return
}
