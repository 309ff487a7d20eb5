// valid
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<1xi64>) {
  %0 = stablehlo.rng %arg0, %arg1, %arg2, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<12xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>, %arg2: tensor<3xi8>) {
  %0 = stablehlo.rng %arg0, %arg1, %arg2, distribution = UNIFORM : (tensor<i4>, tensor<i4>, tensor<3xi8>) -> tensor<3x3x5xi1>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>, %arg2: tensor<1xi8>) {
  %0 = stablehlo.rng %arg0, %arg1, %arg2, distribution = NORMAL : (tensor<i4>, tensor<i4>, tensor<1xi8>) -> tensor<0xi4>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %c = stablehlo.constant dense<7> : tensor<1xi64>
  %0 = stablehlo.rng %arg0, %arg1, %c, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<0xf32>
  return
}

// -----

// breaks: U1
// with: C3 (a shape of another rank is another shape)
func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<2xi64>) {
  %0 = stablehlo.rng %arg0, %arg1, %arg2, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3xf32>
  return
}

// -----

// stops: R1
func.func @main() {
  %a = stablehlo.constant dense<3> : tensor<i32>
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<2xi32>
  return
}

// -----

// stops: R2
func.func @main() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %t = stablehlo.constant dense<2> : tensor<1xi64>
  %s = stablehlo.negate %t : tensor<1xi64>
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
  return
}
