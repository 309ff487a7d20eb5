// valid
func.func @main(%arg0: tensor<f16>) {
  %0 = chlo.acosh %arg0 : tensor<f16> -> tensor<f16>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f16>) {
  %0 = chlo.acosh %arg0 : tensor<f16> -> tensor<f32>
  return
}
