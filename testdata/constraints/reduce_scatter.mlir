// valid
func.func @main(%arg0: tensor<2x4xi64>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
    stablehlo.return %arg1 : tensor<i64>
  }) : (tensor<2x4xi64>) -> tensor<2x2xi64>
  return
}

// -----

// warns: C1
func.func @main(%arg0: tensor<2x?xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<2x?xf32>) -> tensor<?x1xf32>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<2xi8>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
    stablehlo.return %arg1 : tensor<i64>
  }) : (tensor<2xi8>) -> tensor<2xi64>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<2x4xi64>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<1> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<i64>
    stablehlo.return %1 : tensor<i64>
  }) : (tensor<2x4xi64>) -> tensor<2x2xi64>
  return
}

// -----

// warns: C4
module attributes {mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4xf32>) {
    %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    return
  }
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[-2, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<2x4xi64>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
  ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
    stablehlo.return %arg1 : tensor<i64>
  }) : (tensor<2x4xi64>) -> tensor<2x2xi64>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<2x4xi1>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
    stablehlo.return 
  }) : (tensor<2x4xi1>) -> tensor<2x2xi64>
  return
}

// -----

// warns: C7
func.func @main(%arg0: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
  ^bb0(%arg1: tensor<f64>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f64>
  }) : (tensor<4x8xf32>) -> tensor<4x2xf64>
  return
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<4x8xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x5xf32>
  return
}

// -----

// warns: C8
func.func @main(%arg0: tensor<2x4xi4>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
    stablehlo.return %arg1 : tensor<i64>
  }) : (tensor<2x4xi4>) -> tensor<2x1xi64>
  return
}

// -----

// breaks: C9
func.func @main(%arg0: tensor<2x4xi64>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
    stablehlo.return %arg1 : tensor<i64>
  }) : (tensor<2x4xi64>) -> tensor<2x2xi8>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[0, 1]> : tensor<2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<> : tensor<0x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<?x0xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 2>, replica_groups = dense<[[3, 2, 0, 1]]> : tensor<1x4xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
    stablehlo.return %arg1 : tensor<f64>
  }) : (tensor<?x0xf32>) -> tensor<4x4xf64>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<?x16xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 2>, replica_groups = dense<[[3, 2, 0, 1]]> : tensor<1x4xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<?x16xf32>) -> tensor<4x0xf64>
  return
}

// -----

// breaks: U5
func.func @main(%arg0: tensor<2x4xi4>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
  ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
    stablehlo.return %arg1 : tensor<i64>
  }) : (tensor<2x4xi4>) -> tensor<i64>
  return
}

// -----

// breaks: U8
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @none, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 0 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// breaks: U9
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>, scatter_dimension = 0 : i64}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}
