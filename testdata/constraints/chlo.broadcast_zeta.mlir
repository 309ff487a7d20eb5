// valid
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = chlo.broadcast_zeta %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f64>, %arg1: tensor<f16>) {
  %0 = chlo.broadcast_zeta %arg0, %arg1 : (tensor<f64>, tensor<f16>) -> tensor<f16>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f16>, %arg1: tensor<f16>) {
  %0 = chlo.broadcast_zeta %arg0, %arg1 : (tensor<f16>, tensor<f16>) -> tensor<3xf16>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = "chlo.broadcast_zeta"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
