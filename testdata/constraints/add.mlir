// valid
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<i8>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i1>, %arg1: tensor<f64>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<i1>, tensor<f64>) -> tensor<i4>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<i1>, tensor<i1>) -> tensor<!quant.uniform<i32:f32, 2.000000e+00>>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<1x!quant.uniform<i8:f32, 1.000000e+00:17>>, %arg1: tensor<1x!quant.uniform<i32:f32, 2.000000e+00>>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<1x!quant.uniform<i8:f32, 1.000000e+00:17>>, tensor<1x!quant.uniform<i32:f32, 2.000000e+00>>) -> tensor<1x!quant.uniform<i8:f32, 1.000000e+00:17>>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<1x!quant.uniform<i8:f32, 1.000000e+00:17>>, %arg1: tensor<1x!quant.uniform<i8:f16, 1.000000e+00>>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<1x!quant.uniform<i8:f32, 1.000000e+00:17>>, tensor<1x!quant.uniform<i8:f16, 1.000000e+00>>) -> tensor<1x!quant.uniform<i8:f32, 2.000000e+00:15>>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<1x!quant.uniform<i8:f32:0, {2.000000e+00:15}>>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<1x2x!quant.uniform<i8:f32:1, {1.000000e+00:17, 1.000000e+00:17}>>, %arg1: tensor<1x2x!quant.uniform<i8:f32, 2.000000e+00:15>>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<1x2x!quant.uniform<i8:f32:1, {1.000000e+00:17, 1.000000e+00:17}>>, tensor<1x2x!quant.uniform<i8:f32, 2.000000e+00:15>>) -> tensor<1x2x!quant.uniform<i8:f32:0, {1.000000e+00:3}>>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<1x2x!quant.uniform<i8:f32:0, {1.000000e+00:17}>>, %arg1: tensor<1x2x!quant.uniform<i8:f32:1, {1.000000e+00:17, 1.000000e+00:17}>>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<1x2x!quant.uniform<i8:f32:0, {1.000000e+00:17}>>, tensor<1x2x!quant.uniform<i8:f32:1, {1.000000e+00:17, 1.000000e+00:17}>>) -> tensor<1x2x!quant.uniform<i8:f32:0, {1.000000e+00:17}>>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<0x!quant.uniform<u8:f32, 2.000000e+00:15>>, %arg1: tensor<!quant.uniform<u8:f32, 2.000000e+00:15>>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<0x!quant.uniform<u8:f32, 2.000000e+00:15>>, tensor<!quant.uniform<u8:f32, 2.000000e+00:15>>) -> tensor<!quant.uniform<u8:f32, 2.000000e+00:15>>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = stablehlo.add %arg0, %arg1 : (tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<1x!quant.uniform<i8<-3:5>:f32, 1.000000e+00>>
  return
}
