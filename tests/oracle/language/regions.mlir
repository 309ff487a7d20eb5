func.func @f(%a: tensor<4xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %r = stablehlo.add %x, %x : tensor<4xf32>
    stablehlo.return %r : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %r = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    stablehlo.return %r : tensor<8xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
  %2 = stablehlo.async_done %0 : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %b: tensor<4xf32>) -> memref<4xf32> {
  %0 = "stablehlo.custom_call"(%b) <{call_target_name = "CreateBuffer", api_version = 4 : i32}> : (tensor<4xf32>) -> memref<4xf32>
  %1 = "stablehlo.custom_call"(%a) <{call_target_name = "foo", api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}> : (memref<4xf32>) -> memref<4xf32>
  %2 = "stablehlo.custom_call"(%1) <{call_target_name = "Unpin", api_version = 4 : i32}> : (memref<4xf32>) -> tensor<4xf32>
  func.return %1 : memref<4xf32>
}

// -----

func.func @f(%a: memref<4xf32>) {
  %0:2 = "stablehlo.while"(%a, %a) ({
  ^bb0(%x: memref<4xf32>, %y: memref<4xf32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: memref<4xf32>, %y: memref<4xf32>):
    stablehlo.return %x, %y : memref<4xf32>, memref<4xf32>
  }) : (memref<4xf32>, memref<4xf32>) -> (memref<4xf32>, memref<4xf32>)
  func.return
}

// -----

func.func @f(%a: tensor<4xf32>, %p: tensor<i1>, %i: tensor<i32>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %1:2 = "stablehlo.case"(%i) ({
    stablehlo.return %a, %a : tensor<4xf32>, tensor<4xf32>
  }, {
    stablehlo.return %a, %a : tensor<4xf32>, tensor<4xf32>
  }) {foo} : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  %2 = stablehlo.while(%iterArg = %a) : tensor<4xf32> attributes {x = 1 : i32}
  cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %iterArg : tensor<4xf32>
  }
  stablehlo.while()
  cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return
  }
  %3 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %4:2 = "stablehlo.sort"(%a, %a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  func.return
}

// -----

func.func @f(%a: tensor<4x5xf32>, %s: tensor<f32>, %b: tensor<4x5xi32>, %j: tensor<i32>) {
  %0 = stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%a init: %s) across dimensions = [1] {foo} : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>)  {
    %c = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }
  %2:2 = stablehlo.reduce(%a init: %s), (%b init: %j) across dimensions = [] : (tensor<4x5xf32>, tensor<4x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x5xf32>, tensor<4x5xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%z: tensor<i32>, %w: tensor<i32>) {
    stablehlo.return %x, %z : tensor<f32>, tensor<i32>
  }
  %3 = "stablehlo.reduce_window"(%a, %s) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x2xf32>
  %4 = "stablehlo.select_and_scatter"(%a, %3, %s) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<4x2xf32>, tensor<f32>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @f(%a: tensor<1x8x8x16xf32>, %k: tensor<3x3x16x4xf32>, %bk: tensor<3x3x16x4xi8>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x16xf32>, tensor<3x3x16x4xf32>) -> tensor<1x8x8x4xf32>
  %1 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xf32>, tensor<3x3x16x4xf32>) -> tensor<1x6x6x4xf32>
  %2 = "stablehlo.convolution"(%a, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, padding = dense<1> : tensor<2x2xi64>}> : (tensor<1x8x8x16xf32>, tensor<3x3x16x4xf32>) -> tensor<1x8x8x4xf32>
  %3 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[?, b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xf32>, tensor<3x3x16x4xf32>) -> tensor<1x6x6x4xf32>
  func.return
}

// -----

func.func @f(%a: tensor<1x8x8x16xf32>, %k: tensor<3x3x16x4xf32>, %p: tensor<2x2xi32>) {
  %4 = "stablehlo.dynamic_conv"(%a, %k, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>}> : (tensor<1x8x8x16xf32>, tensor<3x3x16x4xf32>, tensor<2x2xi32>) -> tensor<1x?x?x4xf32>
  func.return
}

// -----

func.func @f(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>, %u: tensor<2x3x2x2xi32>, %n: tensor<3xi64>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 2>, indices_are_sorted = false}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
  %1 = "stablehlo.dynamic_gather"(%a, %i, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = true}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  %2 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>, unique_indices = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<2x3x2x2xi32>) -> tensor<3x4x2xi32>
  func.return
}
