// valid
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main(%arg0: tensor<i8>) {
    %0 = stablehlo.popcnt %arg0 : tensor<i8>
    return
  }
}

// -----

// breaks: C1
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<i8>) {
    %0 = stablehlo.popcnt %arg0 : (tensor<i8>) -> tensor<3xi8>
    return
  }
}
