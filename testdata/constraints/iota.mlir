// valid
func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<1xi8>
  return
}

// -----

// breaks: C1
func.func @main() {
  %0 = stablehlo.iota dim = 0 : tensor<i4>
  return
}
