// valid
func.func @main(%arg0: tensor<i1>) {
  %0 = stablehlo.not %arg0 : tensor<i1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i1>) {
  %0 = stablehlo.not %arg0 : (tensor<i1>) -> tensor<2xi1>
  return
}
