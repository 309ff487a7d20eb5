// valid
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<7xf64>) {
    %0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.custom_call @f() : () -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<7xf64>) -> tensor<7xf64>
    return
  }
}

// -----

// breaks: C1
func.func @main() {
  "stablehlo.sort"() <{dimension = 0 : i64}> ({
    %0 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) : () -> ()
  return
}

// -----

// breaks: C2
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<7xi8>) {
    "stablehlo.sort"(%arg0) <{dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
      %0 = stablehlo.custom_call @f() : () -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    }) : (tensor<7xi8>) -> ()
    return
  }
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<?x4xi4>, %arg1: tensor<1x4xi4>) {
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
  ^bb0(%arg2: tensor<i4>, %arg3: tensor<i4>, %arg4: tensor<i4>, %arg5: tensor<i4>):
    %1 = stablehlo.custom_call @f() : () -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<?x4xi4>, tensor<1x4xi4>) -> (tensor<2x4xi4>, tensor<?x4xi4>)
  return
}

// -----

// breaks: C4
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<f32>) {
    %0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.custom_call @f() : () -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<f32>) -> tensor<f32>
    return
  }
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<5xi1>) {
  %0 = "stablehlo.sort"(%arg0) ({
    stablehlo.return 
  }) : (tensor<5xi1>) -> tensor<5xi1>
  return
}
