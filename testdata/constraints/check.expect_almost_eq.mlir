// valid
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  check.expect_almost_eq %arg0, %arg1 : tensor<f32>
  return
}

// -----

// breaks: U1
module {
  func.func @main(%a0: tensor<f32>, %a1: tensor<4xf32>) {
    "check.expect_almost_eq"(%a0, %a1) : (tensor<f32>, tensor<4xf32>) -> ()
    return
  }
}
