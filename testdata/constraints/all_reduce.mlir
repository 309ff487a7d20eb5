// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<0> : tensor<0x2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main() {
  "stablehlo.all_reduce"() <{replica_groups = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%arg0: tensor<f64>, %arg1: tensor<f64>):
    stablehlo.return %arg0 : tensor<f64>
  }) : () -> ()
  return
}

// -----

// warns: C2
module attributes {mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4xf32>) {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

// breaks: C3
func.func @main() {
  "stablehlo.all_reduce"() <{replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    stablehlo.return %arg0 : tensor<f32>
  }) : () -> ()
  return
}

// -----

// breaks: C4
func.func @main() {
  "stablehlo.all_reduce"() <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%arg0: tensor<i8>, %arg1: tensor<i8>):
    stablehlo.return %arg0 : tensor<i8>
  }) : () -> ()
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<4x4xi4>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    stablehlo.return 
  }) : (tensor<4x4xi4>) -> tensor<4x4xf32>
  return
}

// -----

// warns: C5
func.func @main(%arg0: tensor<4x8xf64>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<0> : tensor<0x2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f16>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4x8xf64>) -> tensor<4x8xf32>
  return
}

// -----

// breaks: C6
func.func @main() {
  %0 = "stablehlo.all_reduce"() <{replica_groups = dense<0> : tensor<0x2xi64>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    stablehlo.return %arg0 : tensor<f32>
  }) : () -> tensor<f32>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<4x4xi4>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<0> : tensor<0x2xi64>}> ({
  ^bb0(%arg1: tensor<i4>, %arg2: tensor<i4>):
    stablehlo.return %arg1 : tensor<i4>
  }) : (tensor<4x4xi4>) -> tensor<4x4xi1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<4xi4>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 0>, replica_groups = dense<0> : tensor<0x2xi64>, use_global_device_ids}> ({
  ^bb0(%arg1: tensor<i16>, %arg2: tensor<i16>):
    stablehlo.return %arg1 : tensor<i16>
  }) : (tensor<4xi4>) -> tensor<4xi16>
  return
}

// -----

// breaks: U8
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @none, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U9
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<0> : tensor<2147483648x1xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
