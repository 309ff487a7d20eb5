// valid
func.func @main(%arg0: tensor<8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<3x8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<1> : tensor<1x2xi64>}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[-2, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// warns: C2
module attributes {mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4xf32>) {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

// breaks: C3
func.func @main() {
  "stablehlo.collective_broadcast"() <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<i4>) {
  "stablehlo.collective_broadcast"(%arg0) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<i4>) -> ()
  return
}

// -----

// breaks: C5
// with: C3 (types of a different number of values differ)
func.func @main(%arg0: tensor<4xf32>) {
  %0:2 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// warns: C6
func.func @main(%arg0: tensor<4xf32>) {
  %c = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = "stablehlo.collective_broadcast"(%arg0, %c) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U8
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @none, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U9
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
