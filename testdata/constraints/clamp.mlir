// valid
func.func @main(%arg0: tensor<i32>, %arg1: tensor<2xi32>, %arg2: tensor<i32>) {
  %0 = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<i32>, tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<3xi4>, %arg1: tensor<i4>, %arg2: tensor<i4>) {
  %0 = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<3xi4>, tensor<i4>, tensor<i4>) -> tensor<i4>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>, %arg2: tensor<3xi4>) {
  %0 = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<i4>, tensor<i4>, tensor<3xi4>) -> tensor<i4>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<i1>, %arg1: tensor<?xi1>, %arg2: tensor<i8>) {
  %0 = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<i1>, tensor<?xi1>, tensor<i8>) -> tensor<3xi1>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<i1>, %arg1: tensor<3xi1>, %arg2: tensor<i1>) {
  %0 = stablehlo.clamp %arg0, %arg1, %arg2 : (tensor<i1>, tensor<3xi1>, tensor<i1>) -> tensor<i1>
  return
}
