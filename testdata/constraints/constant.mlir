// valid
func.func @main() {
  %c = stablehlo.constant dense<0> : tensor<i8>
  return
}

// -----

// breaks: C1
func.func @main() {
  %c = stablehlo.constant() <{value = dense<0> : tensor<i8>}> : () -> tensor<i1>
  return
}
