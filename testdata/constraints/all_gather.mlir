// valid
func.func @main() {
  "stablehlo.all_gather"() <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i1>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<i1>) -> tensor<i1>
  return
}

// -----

// breaks: C2
func.func @main() {
  "stablehlo.all_gather"() <{all_gather_dim = 4 : i64, replica_groups = dense<0> : tensor<1x2xi64>}> : () -> ()
  return
}

// -----

// warns: C3
module attributes {mhlo.num_replicas = 4 : i32} {
  func.func @main() {
    "stablehlo.all_gather"() <{all_gather_dim = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> ()
    return
  }
}

// -----

// breaks: C4
func.func @main() {
  "stablehlo.all_gather"() <{all_gather_dim = 1 : i64, replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>}> : () -> ()
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = -1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// warns: C5
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<2x2xi8>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x2xi8>) -> tensor<2x4xi1>
  return
}

// -----

// warns: C6
func.func @main(%arg0: tensor<2x2xi1>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x2xi1>) -> tensor<2x8xi1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<> : tensor<0x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<?x0xi4>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<?x0xi4>) -> tensor<2x?xi4>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<8x2xi8>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x2xi8>) -> tensor<i8>
  return
}

// -----

// breaks: U8
func.func @main(%arg0: tensor<2x1xi4>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = []>}> : (tensor<2x1xi4>) -> tensor<2x8xi4>
  return
}

// -----

// breaks: U9
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<4xf32>) -> tensor<8xf32>
  return
}
