// valid
func.func @main(%arg0: tensor<1x5x4x4xf32>, %arg1: tensor<1x5x4x4xf32>) {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<1x5x4x4xf32>, tensor<1x5x4x4xf32>) -> tensor<1x5x4x4xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<10x?x4x4xbf16>, %arg1: tensor<10x?x4x4xf32>) {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<10x?x4x4xbf16>, tensor<10x?x4x4xf32>) -> tensor<10x?x4x4xf32>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<f32>, %arg1: tensor<4xf32>) {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<10x5x4x4xf32>, %arg1: tensor<10x6x4x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<10x5x4x4xf32>, tensor<10x6x4x3xf32>) -> tensor<10x6x4x3xf32>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<1x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<3x3xf32>, tensor<1x3xf32>) -> tensor<f32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<3x3xf32>) {
  %cst = stablehlo.constant dense<[[7.000000e+00, 8.000000e+00, 9.000000e+00]]> : tensor<1x3xf32>
  %0 = "stablehlo.triangular_solve"(%arg0, %cst) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}
