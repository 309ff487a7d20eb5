// valid
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = stablehlo.or %arg0, %arg1 : tensor<i1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = stablehlo.or %arg0, %arg1 : (tensor<i1>, tensor<i1>) -> tensor<1xi1>
  return
}
