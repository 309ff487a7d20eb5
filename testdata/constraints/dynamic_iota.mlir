// valid
func.func @main(%arg0: tensor<1xi64>) {
  %0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<1xi64>) -> tensor<4xi8>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<2xi32>) {
  %0 = stablehlo.dynamic_iota %arg0, dim = 2 : (tensor<2xi32>) -> tensor<3x4xi64>
  return
}

// -----

// warns: C2
func.func @main(%arg0: tensor<4xi4>) {
  %0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<4xi4>) -> tensor<2xi8>
  return
}

// -----

// breaks: U1
func.func @main() {
  %c = stablehlo.constant dense<1> : tensor<1xi64>
  %0 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

// stops: R1
func.func @main() {
  %nc = stablehlo.constant dense<1> : tensor<1xi64>
  %n = stablehlo.negate %nc : tensor<1xi64>
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xi8>
  return
}

// -----

// stops: R2
func.func @main() {
  %a = stablehlo.constant dense<1> : tensor<2xi64>
  %b = stablehlo.negate %a : tensor<2xi64>
  %c = stablehlo.negate %b : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<2xi64>) -> tensor<?xi8>
  return
}
