// valid
func.func @main(%arg0: tensor<i8>) {
  %0 = stablehlo.negate %arg0 : tensor<i8>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>) {
  %0 = stablehlo.negate %arg0 : (tensor<i8>) -> tensor<i32>
  return
}
