// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.erf_inv %arg0 : tensor<f32> -> tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<0xf32>) {
  %0 = chlo.erf_inv %arg0 : tensor<0xf32> -> tensor<f32>
  return
}
