// valid
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.constant dense<1.0> : tensor<3x4xf32>
  %0 = stablehlo.einsum %x, %y, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.constant dense<1.0> : tensor<3x4xf32>
  %0 = stablehlo.einsum %x, %y, config = "ab,bc" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// stops: R2
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x1xf32>
  %y = stablehlo.constant dense<1.0> : tensor<3x4xf32>
  %0 = stablehlo.einsum %x, %y, config = "ab,bc->ac" : (tensor<2x1xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// stops: R3
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.constant dense<1.0> : tensor<3x4xf32>
  %0 = stablehlo.einsum %x, %y, config = "ab,bc->ad" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
