// valid
func.func @main(%a: tensor<2xi32>) {
  %0 = arith.index_cast %a : tensor<2xi32> to tensor<2xindex>
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xi32>) {
  %0 = arith.index_cast %a : tensor<2xi32> to tensor<3xindex>
  return
}

// -----

// breaks: U2
func.func @main(%a: i8) {
  %0 = arith.index_cast %a : i8 to i16
  return
}
