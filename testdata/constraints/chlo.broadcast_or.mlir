// valid
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = chlo.broadcast_or %arg0, %arg1 : (tensor<i4>, tensor<i4>) -> tensor<i4>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = chlo.broadcast_or %arg0, %arg1 : (tensor<i1>, tensor<i1>) -> tensor<i4>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i64>, %arg1: tensor<i64>) {
  %0 = chlo.broadcast_or %arg0, %arg1 : (tensor<i64>, tensor<i64>) -> tensor<2xi64>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<2x3xi8>
  %y = stablehlo.constant dense<1> : tensor<2x3xi8>
  %0 = "chlo.broadcast_or"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}
