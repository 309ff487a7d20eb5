// valid
func.func @main(%arg0: tensor<1x2xi4>, %arg1: tensor<2x1xi4>) {
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<1x2xi4>, tensor<2x1xi4>) -> tensor<1x1xi8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<2x2xi4>, %arg1: tensor<2x2xi1>) {
  %0 = stablehlo.dot %arg0, %arg1, precision = [HIGH, HIGH, HIGH] : (tensor<2x2xi4>, tensor<2x2xi1>) -> tensor<2x2xi4>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<i4>, tensor<i4>) -> tensor<i4>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<1x3xi4>, %arg1: tensor<2x1xi4>) {
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<1x3xi4>, tensor<2x1xi4>) -> tensor<1x1xi8>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<2xi4>, %arg1: tensor<2x1xi4>) {
  %0 = stablehlo.dot %arg0, %arg1 : (tensor<2xi4>, tensor<2x1xi4>) -> tensor<f32>
  return
}
