// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = chlo.lgamma %arg0 : tensor<f64> -> tensor<f64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.lgamma %arg0 : tensor<f32> -> tensor<f16>
  return
}
