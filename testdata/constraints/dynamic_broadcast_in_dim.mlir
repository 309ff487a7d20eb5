// valid
func.func @main(%arg0: tensor<i1>, %arg1: tensor<1xi8>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [] : (tensor<i1>, tensor<1xi8>) -> tensor<?xi1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i4>, %arg1: tensor<3xi4>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [] : (tensor<i4>, tensor<3xi4>) -> tensor<?x2x1xi8>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<ui8>, %arg1: tensor<3xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0] : (tensor<ui8>, tensor<3xi32>) -> tensor<4x2x1xui8>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<3xf16>, %arg1: tensor<2xi4>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [5] : (tensor<3xf16>, tensor<2xi4>) -> tensor<?x3xf16>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<1x4xi4>, %arg1: tensor<2xi8>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1, 1] : (tensor<1x4xi4>, tensor<2xi8>) -> tensor<2x4xi4>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] : (tensor<5xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<1x2x1x!quant.uniform<i8:f32:0, {2.000000e+00:15}>>, %arg1: tensor<4xi4>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0, 1, 3] : (tensor<1x2x1x!quant.uniform<i8:f32:0, {2.000000e+00:15}>>, tensor<4xi4>) -> tensor<1x2x3x2x!quant.uniform<i8:f32:3, {2.000000e-01:2, 5.000000e-01:-20}>>
  return
}

// -----

// warns: C7
func.func @main(%arg0: tensor<i1>, %arg1: tensor<1xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [] : (tensor<i1>, tensor<1xi32>) -> tensor<i1>
  return
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] {known_expanding_dimensions = array<i64: 0, 0>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

// breaks: C9
func.func @main(%arg0: tensor<i32>, %arg1: tensor<1xi32>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [] {known_expanding_dimensions = array<i64: 3>} : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
  return
}

// -----

// breaks: C10
func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<1xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0] {known_nonexpanding_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xi1>) {
  %c = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %c, dims = [1] : (tensor<4xi1>, tensor<2xi64>) -> tensor<3x4xi1>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<1x3xi32>) {
  %c = stablehlo.constant dense<[2, 1, 1]> : tensor<3xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %c, dims = [2, 1] : (tensor<1x3xi32>, tensor<3xi32>) -> tensor<?x?x1xi32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<1xf32>
  %nc = stablehlo.constant dense<1> : tensor<1xi64>
  %n = stablehlo.negate %nc : tensor<1xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [0] : (tensor<1xf32>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

// stops: R2
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<1xf32>
  %a = stablehlo.constant dense<1> : tensor<2xi64>
  %b = stablehlo.negate %a : tensor<2xi64>
  %c = stablehlo.negate %b : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %c, dims = [0] : (tensor<1xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}
