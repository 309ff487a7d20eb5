// valid
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = chlo.broadcast_minimum %arg0, %arg1 : (tensor<i8>, tensor<i8>) -> tensor<i8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i1>) {
  %0 = chlo.broadcast_minimum %arg0, %arg1 : (tensor<i4>, tensor<i1>) -> tensor<i32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_minimum %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = "chlo.broadcast_minimum"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
