// valid
func.func @main(%arg0: tensor<2xf64>) {
  check.expect_almost_eq_const %arg0, dense<2.000000e+00> : tensor<2xf64>
  return
}

// -----

// breaks: U1
module {
  func.func @main(%a0: tensor<f64>) {
    "check.expect_almost_eq_const"(%a0) <{value = dense<0.0> : tensor<2xf64>}> : (tensor<f64>) -> ()
    return
  }
}
