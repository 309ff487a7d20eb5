// valid
func.func @main(%arg0: tensor<1xf32>) {
  %0 = stablehlo.imag %arg0 : tensor<1xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.imag %arg0 : (tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<2xf32>) {
  %0 = stablehlo.imag %arg0 : (tensor<2xf32>) -> tensor<2xf16>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<8x?xcomplex<f32>>) {
  %0 = stablehlo.imag %arg0 : (tensor<8x?xcomplex<f32>>) -> tensor<?x?xf32, #stablehlo.bounds<4, ?>>
  return
}
