// valid
func.func @main(%arg0: tensor<16xf16>) {
  %0 = chlo.bessel_i1e %arg0 : tensor<16xf16> -> tensor<16xf16>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f16>) {
  %0 = chlo.bessel_i1e %arg0 : tensor<f16> -> tensor<8xf16>
  return
}
