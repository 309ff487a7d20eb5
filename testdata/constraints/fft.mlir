// valid
func.func @main(%arg0: tensor<3x9xf64>) {
  %0 = stablehlo.fft %arg0, type = RFFT, length = [9] : (tensor<3x9xf64>) -> tensor<3x5xcomplex<f64>>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<?x?xcomplex<f64>>) {
  %0 = stablehlo.fft %arg0, type = FFT, length = [2, 2, 4] : (tensor<?x?xcomplex<f64>>) -> tensor<1x?xcomplex<f64>>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<?xf64>) {
  %0 = stablehlo.fft %arg0, type = FFT, length = [2] : (tensor<?xf64>) -> tensor<f64>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.fft %arg0, type = RFFT, length = [] : (tensor<f32>) -> tensor<complex<f32>>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<2x1xf64>) {
  %0 = stablehlo.fft %arg0, type = RFFT, length = [2] : (tensor<2x1xf64>) -> tensor<2x?xcomplex<f64>>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<?xf64>) {
  %0 = stablehlo.fft %arg0, type = RFFT, length = [9] : (tensor<?xf64>) -> tensor<3x5xcomplex<f64>>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<?x?xf64>) {
  %0 = stablehlo.fft %arg0, type = RFFT, length = [9] : (tensor<?x?xf64>) -> tensor<3x2xcomplex<f64>>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<3x0xcomplex<f64>>) {
  %0 = stablehlo.fft %arg0, type = IRFFT, length = [2] : (tensor<3x0xcomplex<f64>>) -> tensor<?x?xf64>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<(1.0, 0.0)> : tensor<4xcomplex<f32>>
  %0 = stablehlo.fft %x, type = FFT, length = [-4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}
