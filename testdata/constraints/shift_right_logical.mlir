// valid
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>) {
    %0 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<8xi32>
    return
  }
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<ui8>, %arg1: tensor<i4>) {
  %0 = stablehlo.shift_right_logical %arg0, %arg1 : (tensor<ui8>, tensor<i4>) -> tensor<i4>
  return
}
