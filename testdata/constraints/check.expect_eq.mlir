// valid
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  check.expect_eq %arg0, %arg1 : tensor<i1>
  return
}

// -----

// breaks: U1
module {
  func.func @main(%a0: tensor<2xi1>, %a1: tensor<i1>) {
    "check.expect_eq"(%a0, %a1) : (tensor<2xi1>, tensor<i1>) -> ()
    return
  }
}
