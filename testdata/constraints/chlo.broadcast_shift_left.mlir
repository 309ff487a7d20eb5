// valid
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = chlo.broadcast_shift_left %arg0, %arg1 : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f16>, %arg1: tensor<f32>) {
  %0 = chlo.broadcast_shift_left %arg0, %arg1 : (tensor<f16>, tensor<f32>) -> tensor<i1>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = chlo.broadcast_shift_left %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1> : tensor<2x3xi8>
  %y = stablehlo.constant dense<1> : tensor<2x3xi8>
  %0 = "chlo.broadcast_shift_left"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// -----

// stops: R2
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = chlo.broadcast_shift_left %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
