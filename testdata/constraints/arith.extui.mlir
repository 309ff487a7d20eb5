// valid
func.func @main(%a: i8) {
  %0 = arith.extui %a : i8 to i16
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xi8>) {
  %0 = arith.extui %a : tensor<2xi8> to tensor<3xi16>
  return
}

// -----

// breaks: U2
func.func @main(%a: i16) {
  %0 = arith.extui %a : i16 to i8
  return
}
