// valid
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.maximum %arg0, %arg1 : tensor<i4>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = stablehlo.maximum %arg0, %arg1 : (tensor<i1>, tensor<i1>) -> tensor<3xi1>
  return
}
