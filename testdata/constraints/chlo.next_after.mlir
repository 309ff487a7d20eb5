// valid
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<50xf32>, %arg1: tensor<*xf32>) {
    %0 = chlo.next_after %arg0, %arg1 : tensor<50xf32>, tensor<*xf32> -> tensor<50xf32>
    return
  }
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f64>, %arg1: tensor<f64>) {
  %0 = chlo.next_after %arg0, %arg1 : tensor<f64>, tensor<f64> -> tensor<4xf64>
  return
}
