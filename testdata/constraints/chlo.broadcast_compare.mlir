// valid
func.func @main(%arg0: tensor<i64>, %arg1: tensor<i64>) {
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<i64>, tensor<i64>) -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i32>) {
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<i8>, tensor<i32>) -> tensor<i1>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = chlo.broadcast_compare %arg0, %arg1 {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<i4>, tensor<i4>) -> tensor<?xi1>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %y = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = "chlo.broadcast_compare"(%x, %y) {broadcast_dimensions = array<i64: 0>, comparison_direction = #chlo<comparison_direction EQ>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}
