// valid
func.func @main(%arg0: tensor<i1>) {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<i1>
  return
}

// -----

// breaks: C1
func.func @main() {
  %0 = "stablehlo.optimization_barrier"() : () -> tensor<i4>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<?x?xf32>) {
  %0 = "stablehlo.optimization_barrier"(%arg0) : (tensor<?x?xf32>) -> tensor<8x?xf32>
  return
}
