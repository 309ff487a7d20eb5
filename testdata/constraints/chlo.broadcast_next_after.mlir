// valid
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i4>, %arg1: tensor<2xi1>) {
  %0 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<i4>, tensor<2xi1>) -> tensor<2xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_next_after %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<1xi32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = "chlo.broadcast_next_after"(%x, %y) {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// stops: R2
func.func @main() {
  %x = stablehlo.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
  %0 = chlo.broadcast_next_after %x, %x : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}
