// valid
func.func @main(%arg0: tensor<3xi4>, %arg1: tensor<4xi4>) {
  %0 = chlo.broadcast_subtract %arg0, %arg1 : (tensor<3xi4>, tensor<4xi4>) -> tensor<i4>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xi8>, %arg1: tensor<0xi8>) {
  %0 = chlo.broadcast_subtract %arg0, %arg1 : (tensor<4xi8>, tensor<0xi8>) -> tensor<i4>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<4xi4>, %arg1: tensor<i4>) {
  %0 = chlo.broadcast_subtract %arg0, %arg1 : (tensor<4xi4>, tensor<i4>) -> tensor<i4>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = "chlo.broadcast_subtract"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
