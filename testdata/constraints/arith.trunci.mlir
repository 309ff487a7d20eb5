// valid
func.func @main(%a: tensor<2xi32>) {
  %0 = arith.trunci %a : tensor<2xi32> to tensor<2xi8>
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xi32>) {
  %0 = arith.trunci %a : tensor<2xi32> to tensor<3xi8>
  return
}

// -----

// breaks: U2
func.func @main(%a: i8) {
  %0 = arith.trunci %a : i8 to i16
  return
}
