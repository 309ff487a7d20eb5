// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.is_pos_inf %arg0 : tensor<f32> -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.is_pos_inf %arg0 : tensor<f32> -> tensor<2xi1>
  return
}
