// valid
func.func @main() {
  %0 = "tensor.from_elements"() : () -> tensor<0xi1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i4>) {
  %0 = "tensor.from_elements"(%arg0) : (tensor<i4>) -> tensor<i1>
  return
}

// -----

// breaks: U2
func.func @main() {
  %0 = "tensor.from_elements"() : () -> tensor<i1>
  return
}
