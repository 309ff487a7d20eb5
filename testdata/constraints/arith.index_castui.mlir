// valid
func.func @main(%a: index) {
  %0 = arith.index_castui %a : index to i32
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xindex>) {
  %0 = arith.index_castui %a : tensor<2xindex> to tensor<3xi32>
  return
}

// -----

// breaks: U2
func.func @main(%a: index) {
  %0 = arith.index_castui %a : index to index
  return
}
