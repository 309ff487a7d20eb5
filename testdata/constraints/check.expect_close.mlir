// valid
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  check.expect_close %arg0, %arg1 : tensor<f32>, tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<1xf16>, %arg1: tensor<2xf16>) {
  check.expect_close %arg0, %arg1 : tensor<1xf16>, tensor<2xf16>
  return
}
