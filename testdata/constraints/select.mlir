// valid
func.func @main(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) {
  %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<1xi1>, %arg1: tensor<i8>, %arg2: tensor<i8>) {
  %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<1xi1>, tensor<i8>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i1>, %arg2: tensor<i1>) {
  %0 = stablehlo.select %arg0, %arg1, %arg2 : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i4>
  return
}

// -----

// breaks: U1
// with: C2 (C2 compares the same element types)
func.func @main(%arg0: tensor<i1>, %arg1: tensor<2xf32>, %arg2: tensor<2xf64>) {
  %0 = stablehlo.select %arg0, %arg1, %arg2 : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}
