// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i1>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%arg1: tensor<i1>, %arg2: tensor<i1>):
    stablehlo.return %arg1 : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: C2
// with: U6 (what is negative is not among the ids)
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[-2, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// warns: C2
module attributes {mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4xf32>) {
    %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<i8>) {
  "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%arg1: tensor<i8>, %arg2: tensor<i8>):
    stablehlo.return %arg1 : tensor<i8>
  }) : (tensor<i8>) -> ()
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<i8>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    stablehlo.return 
  }) : (tensor<i8>) -> tensor<i4>
  return
}

// -----

// warns: C4
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
  %0:2 = "stablehlo.collective_reduce"(%arg0, %arg1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<bf16>):
    stablehlo.return %arg2 : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<> : tensor<0x2xi64>, use_global_device_ids}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<f16>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%arg1: tensor<f16>, %arg2: tensor<f16>):
    stablehlo.return %arg1 : tensor<f16>
  }) : (tensor<f16>) -> tensor<f16>
  return
}

// -----

// breaks: U4
func.func @main() {
  "stablehlo.collective_reduce"() <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    stablehlo.return %arg0 : tensor<f32>
  }) : () -> ()
  return
}

// -----

// breaks: U5
func.func @main(%arg0: tensor<4xi64>, %arg1: tensor<1xi8>) {
  %0 = "stablehlo.collective_reduce"(%arg0, %arg1) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%arg2: tensor<i64>, %arg3: tensor<i64>):
    stablehlo.return %arg2 : tensor<i64>
  }) : (tensor<4xi64>, tensor<1xi8>) -> tensor<4xi64>
  return
}

// -----

// breaks: U6
func.func @main(%arg0: tensor<f32>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[3, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// breaks: U7
func.func @main(%arg0: tensor<0xf32>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<0xf32>) -> tensor<0xi4>
  return
}

// -----

// breaks: U8
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @none, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U9
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    stablehlo.return %arg1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
