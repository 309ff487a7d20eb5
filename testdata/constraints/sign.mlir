// valid
func.func @main(%arg0: tensor<i8>) {
  %0 = stablehlo.sign %arg0 : tensor<i8>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<f64>) {
  %0 = stablehlo.sign %arg0 : (tensor<f64>) -> tensor<i8>
  return
}
