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
