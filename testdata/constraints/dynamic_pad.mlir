// valid
func.func @main(%arg0: tensor<3xi16>, %arg1: tensor<i16>, %arg2: tensor<1xi8>, %arg3: tensor<1xi8>, %arg4: tensor<1xi8>) {
  %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg3, %arg4 : (tensor<3xi16>, tensor<i16>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1xi16>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<?xi1>, %arg1: tensor<i4>, %arg2: tensor<1xi4>, %arg3: tensor<1xi4>, %arg4: tensor<1xi4>) {
  %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg3, %arg4 : (tensor<?xi1>, tensor<i4>, tensor<1xi4>, tensor<1xi4>, tensor<1xi4>) -> tensor<4xi1>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<bf16>, %arg1: tensor<bf16>, %arg2: tensor<1xi4>, %arg3: tensor<1xi4>, %arg4: tensor<1xi4>) {
  %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg3, %arg4 : (tensor<bf16>, tensor<bf16>, tensor<1xi4>, tensor<1xi4>, tensor<1xi4>) -> tensor<bf16>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<4xf64>, %arg1: tensor<f64>, %arg2: tensor<1xi32>, %arg3: tensor<1xi32>) {
  %c = stablehlo.constant dense<-1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg3, %c : (tensor<4xf64>, tensor<f64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf64>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<4xi8>, %arg1: tensor<i8>) {
  %c = stablehlo.constant dense<1> : tensor<1xi32>
  %c_0 = stablehlo.constant dense<1> : tensor<1xi32>
  %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = stablehlo.dynamic_pad %arg0, %arg1, %c, %c_0, %c_1 : (tensor<4xi8>, tensor<i8>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<1x!quant.uniform<i8:f16, 2.000000e+00:15>>, %arg1: tensor<!quant.uniform<i8:f16, 2.000000e+00:15>>, %arg2: tensor<1xui8>, %arg3: tensor<1xui8>, %arg4: tensor<1xui8>) {
  %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg3, %arg4 : (tensor<1x!quant.uniform<i8:f16, 2.000000e+00:15>>, tensor<!quant.uniform<i8:f16, 2.000000e+00:15>>, tensor<1xui8>, tensor<1xui8>, tensor<1xui8>) -> tensor<0x!quant.uniform<i8:f16, 1.000000e+00>>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<3xi8>, %arg1: tensor<i8>, %arg2: tensor<1xi8>, %arg3: tensor<1xi4>, %arg4: tensor<1xi4>) {
  %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg3, %arg4 : (tensor<3xi8>, tensor<i8>, tensor<1xi8>, tensor<1xi4>, tensor<1xi4>) -> tensor<1xi8>
  return
}

// -----

// breaks: U3
// with: C4 (a shape of another rank is another shape)
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<1xi64>, %arg3: tensor<1xi64>, %arg4: tensor<1xi64>) {
  %0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg3, %arg4 : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2xf32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %v = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<1xi64>
  %nc = stablehlo.constant dense<3> : tensor<1xi64>
  %n = stablehlo.negate %nc : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %x, %v, %n, %z, %z : (tensor<2xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}
