// valid
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = stablehlo.unary_einsum %x, config = "ab->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = stablehlo.unary_einsum %x, config = "abc->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

// stops: R2
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = stablehlo.unary_einsum %x, config = "aa->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

// stops: R3
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x2xf32>
  %0 = stablehlo.unary_einsum %x, config = "ab->aa" : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
