// valid
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<i4>, tensor<i4>) -> tensor<i1>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i1>) {
  %0 = stablehlo.compare EQ, %arg0, %arg1 : (tensor<i8>, tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<i4>, tensor<i4>) -> tensor<2xi1>
  return
}

// -----

// warns: C3
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = stablehlo.compare EQ, %arg0, %arg1, SIGNED : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return
}
