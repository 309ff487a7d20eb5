// valid
func.func @main() {
  %0 = chlo.constant dense<[1, 2]> : tensor<2xi32>
  return
}

// -----

// breaks: U1
module {
  func.func @main() {
    %r = "chlo.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> (tensor<3xi32>)
    return
  }
}
