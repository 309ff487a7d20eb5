// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = chlo.erfc %arg0 : tensor<f64> -> tensor<f64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f16>) {
  %0 = chlo.erfc %arg0 : tensor<f16> -> tensor<f32>
  return
}
