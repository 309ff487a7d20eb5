// valid
func.func @main() {
  "stablehlo.all_to_all"() <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : () -> ()
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<1xi8>) {
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<1xi8>) -> tensor<i8>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<4x1xf32>) {
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3, 4]]> : tensor<1x5xi64>, split_count = 5 : i64, split_dimension = 1 : i64}> : (tensor<4x1xf32>) -> tensor<?x?xf32>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<2x4xui32>) {
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 3 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xui32>) -> tensor<ui32>
  return
}

// -----

// breaks: C5
func.func @main() {
  "stablehlo.all_to_all"() <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 2, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : () -> ()
  return
}

// -----

// warns: C6
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main() {
    "stablehlo.all_to_all"() <{concat_dimension = 3 : i64, replica_groups = dense<[[1, 0, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : () -> ()
    return
  }
}

// -----

// breaks: C7
func.func @main() {
  "stablehlo.all_to_all"() <{concat_dimension = 0 : i64, replica_groups = dense<[[4, 1, 2, 3]]> : tensor<1x4xi64>, split_count = 4 : i64, split_dimension = 1 : i64}> : () -> ()
  return
}

// -----

// breaks: C8
func.func @main() {
  "stablehlo.all_to_all"() <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 5 : i64, split_dimension = 1 : i64}> : () -> ()
  return
}

// -----

// breaks: C9
func.func @main() {
  %0 = "stablehlo.all_to_all"() <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : () -> tensor<i1>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U8
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @none, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// breaks: U9
func.func @main(%arg0: tensor<4xf32>) {
  %0 = "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
