// valid
func.func @main(%arg0: tensor<complex<f32>>) {
  %0 = chlo._asin_acos_kernel %arg0 : tensor<complex<f32>> -> tensor<complex<f32>>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<complex<f32>>) {
  %0 = chlo._asin_acos_kernel %arg0 : tensor<complex<f32>> -> tensor<1xcomplex<f32>>
  return
}
