// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.conj %arg0 : tensor<f32> -> tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<5x2xf32>) {
  %0 = chlo.conj %arg0 : tensor<5x2xf32> -> tensor<5x7xf32>
  return
}
