// valid
func.func @main(%arg0: tensor<f64>) {
  %0 = chlo.digamma %arg0 : tensor<f64> -> tensor<f64>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f64>) {
  %0 = chlo.digamma %arg0 : tensor<f64> -> tensor<1xf64>
  return
}
