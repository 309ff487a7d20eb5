// valid
func.func @main(%arg0: tensor<i64>) {
  check.expect_eq_const %arg0, dense<3> : tensor<i64>
  return
}

// -----

// breaks: U1
module {
  func.func @main(%a0: tensor<i4>) {
    "check.expect_eq_const"(%a0) <{value = dense<0> : tensor<ui32>}> : (tensor<i4>) -> ()
    return
  }
}
