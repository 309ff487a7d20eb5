// valid
func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<1xi32>) {
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<5xf32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<2xi8>) {
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<i8>, tensor<2xi8>) -> tensor<?x?xi1>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i1>, %arg1: tensor<1xi4>) {
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<i1>, tensor<1xi4>) -> tensor<2xi1>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<?x!quant.uniform<i8:f32:0, {1.000000e+00:3}>>, %arg1: tensor<2xi32>) {
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?x!quant.uniform<i8:f32:0, {1.000000e+00:3}>>, tensor<2xi32>) -> tensor<?x4x!quant.uniform<i8:f32:0, {1.000000e+00:3}>>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<i1>, %arg1: tensor<4xi8>) {
  %0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<i1>, tensor<4xi8>) -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xi8>) {
  %c = stablehlo.constant dense<2> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %arg0, %c : (tensor<4xi8>, tensor<2xi64>) -> tensor<1x4xi8>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<4x5xf64>) {
  %c = stablehlo.constant dense<[4, 6]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %arg0, %c : (tensor<4x5xf64>, tensor<2xi32>) -> tensor<4x?xf64>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<4xf32>
  %nc = stablehlo.constant dense<2> : tensor<2xi64>
  %n = stablehlo.negate %nc : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}
