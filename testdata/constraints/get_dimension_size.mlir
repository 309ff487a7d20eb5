// valid
func.func @main(%arg0: tensor<4x2xf32>) {
  %0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<4x2xf32>) -> tensor<i32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>) {
  %0 = stablehlo.get_dimension_size %arg0, dim = 2 : (tensor<i8>) -> tensor<i32>
  return
}
