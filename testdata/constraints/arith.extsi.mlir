// valid
func.func @main(%a: tensor<2xi8>) {
  %0 = arith.extsi %a : tensor<2xi8> to tensor<2xi16>
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xi8>) {
  %0 = arith.extsi %a : tensor<2xi8> to tensor<3xi16>
  return
}

// -----

// breaks: U2
func.func @main(%a: i8) {
  %0 = arith.extsi %a : i8 to i8
  return
}
