// valid
func.func @main() {
  %cst = arith.constant dense<1> : tensor<i32>
  return
}

// -----

// breaks: U1
module {
  func.func @main() {
    %r = "arith.constant"() <{value = dense<0> : tensor<i32>}> : () -> (tensor<i4>)
    return
  }
}
