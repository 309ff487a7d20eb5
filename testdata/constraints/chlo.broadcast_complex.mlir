// valid
func.func @main(%arg0: tensor<f32>, %arg1: tensor<?x1xf32>) {
  %0 = chlo.broadcast_complex %arg0, %arg1 : (tensor<f32>, tensor<?x1xf32>) -> tensor<?x?xcomplex<f32>>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f64>, %arg1: tensor<2xf32>) {
  %0 = chlo.broadcast_complex %arg0, %arg1 : (tensor<f64>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = chlo.broadcast_complex %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<?xcomplex<f32>>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = "chlo.broadcast_complex"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  return
}
