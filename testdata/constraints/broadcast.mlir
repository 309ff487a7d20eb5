// valid
func.func @main(%arg0: tensor<3xi32>) {
  %0 = stablehlo.broadcast %arg0, sizes = [1, 2] : (tensor<3xi32>) -> tensor<1x2x3xi32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<3xi8>) {
  %0 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<3xi8>) -> tensor<2x3xi4>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<3xi8>) {
  %0 = stablehlo.broadcast %arg0, sizes = [1, -2] : (tensor<3xi8>) -> tensor<1x?x3xi8>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<2xi32>) {
  %0 = stablehlo.broadcast %arg0, sizes = [3] : (tensor<2xi32>) -> tensor<i32>
  return
}
