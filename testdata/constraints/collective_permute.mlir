// valid
func.func @main(%arg0: tensor<i8>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<i8>) -> tensor<i8>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i1>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>}> : (tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<i4>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [2, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<i4>) -> tensor<i4>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<i8>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 1], [2, 3]]> : tensor<3x2xi64>}> : (tensor<i8>) -> tensor<i8>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<i1>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [-1, 0]]> : tensor<2x2xi64>}> : (tensor<i1>) -> tensor<i1>
  return
}

// -----

// warns: C4
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%arg0: tensor<i4>) {
    %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [4, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<i4>) -> tensor<i4>
    return
  }
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<i1>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<i1>) -> tensor<i4>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
