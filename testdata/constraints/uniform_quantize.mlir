// valid
func.func @main(%arg0: tensor<2xf64>) {
  %0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf64>) -> tensor<2x!quant.uniform<u8:f64, 3.400000e+01:16>>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<2xf64>) {
  %0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf64>) -> tensor<!quant.uniform<i8:f64, 1.000000e-01>>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<2xf32>) {
  %0 = stablehlo.uniform_quantize %arg0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f64, 1.000000e-01>>
  return
}
