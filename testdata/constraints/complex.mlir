// valid
func.func @main(%arg0: tensor<f64>, %arg1: tensor<f64>) {
  %0 = stablehlo.complex %arg0, %arg1 : tensor<complex<f64>>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<0xf64>, %arg1: tensor<f64>) {
  %0 = stablehlo.complex %arg0, %arg1 : (tensor<0xf64>, tensor<f64>) -> tensor<0xcomplex<f64>>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = stablehlo.complex %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<1xcomplex<f32>>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<1xf32>) {
  %0 = stablehlo.complex %arg0, %arg1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xcomplex<f64>>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4x?xf32>, %arg1: tensor<4x?xf32>) {
  %0 = stablehlo.complex %arg0, %arg1 : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<?x?xcomplex<f32>, #stablehlo.bounds<3, ?>>
  return
}
