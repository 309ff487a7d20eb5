// valid
func.func @main(%arg0: tensor<2x!quant.uniform<u8:f64, 3.400000e+01:16>>) {
  %0 = stablehlo.uniform_dequantize %arg0 : (tensor<2x!quant.uniform<u8:f64, 3.400000e+01:16>>) -> tensor<2xf64>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<!quant.uniform<u8:f64, 3.400000e+01:16>>) {
  %0 = stablehlo.uniform_dequantize %arg0 : (tensor<!quant.uniform<u8:f64, 3.400000e+01:16>>) -> tensor<2xf64>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<1x32x2x!quant.uniform<u8:f32, 2.000000e+00:15>>) {
  %0 = stablehlo.uniform_dequantize %arg0 : (tensor<1x32x2x!quant.uniform<u8:f32, 2.000000e+00:15>>) -> tensor<1x32x2xf16>
  return
}
