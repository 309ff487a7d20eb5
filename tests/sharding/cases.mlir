sdy.mesh @a = <["x"=2, "y"=4]>
sdy.mesh @b = <["x"=2, "y"=4]>
sdy.mesh @c = <["x"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}, {"y"}]>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=4]>, [{"y"}, {}]>},
    %z: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=2], device_ids=[1, 0]>, [{"z"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[5]>, []>]>} : tensor<8x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<[]>, [{}, {}]>]>} : tensor<8x8xf32>
  %2 = stablehlo.add %1, %y {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"x"}, {?}]>]>} : tensor<8x8xf32>
  %3 = stablehlo.add %2, %z : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "one"=1, "y"=2, "two"=1]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "one"}p1, {"two", ?}p2]>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"one"}p3, {"y"}], replicated={"two"}>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"one"}, {"two"}], replicated={"x"}, unreduced={"y"}>]>} : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"one", "x"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %4 = stablehlo.add %0, %0 : tensor<8x8xf32>
  %5 = stablehlo.multiply %4, %3 : tensor<8x8xf32>
  return %5, %0 : tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %x <@mesh, [{"x", ?}, {}]> : tensor<8x8xf32>
  %4 = sdy.sharding_constraint %y <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %5 = sdy.sharding_constraint %y <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %6 = stablehlo.add %1, %2 : tensor<8x8xf32>
  %7 = stablehlo.add %3, %4 : tensor<8x8xf32>
  %8 = stablehlo.add %6, %7 : tensor<8x8xf32>
  %9 = stablehlo.add %8, %5 : tensor<8x8xf32>
  return %9 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>, %n: tensor<i32>) -> tensor<8x8xf32> {
  %0:2 = stablehlo.while(%a = %x, %i = %n) : tensor<8x8xf32>, tensor<i32>
   cond {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.subtract %i, %c : tensor<i32>
    %s = sdy.sharding_constraint %a <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
    %b = stablehlo.negate %s : tensor<8x8xf32>
    stablehlo.return %b, %j : tensor<8x8xf32>, tensor<i32>
  }
  %1 = sdy.sharding_constraint %0#0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  %2 = stablehlo.add %1, %0#0 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
func.func @main(%x: tensor<8x8xf32>, %y: tensor<16xf32>) -> (tensor<8x8xf32>, tensor<16xf32>) {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"y"}, {?}]>] out_shardings=[<@mesh, [{"y"}, {}], replicated={"z"}>]
      manual_axes={"z", "x", "y"} (%a: tensor<2x8xf32>) {
    %3 = stablehlo.abs %a : tensor<2x8xf32>
    sdy.return %3 : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x", "y"}]>]
      manual_axes={"x"} (%a: tensor<8xf32>) {
    %3 = stablehlo.add %a, %a : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<16xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>,
    %w: tensor<4xf32>, %v: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8x8xf32>, tensor<4xf32>) {
  sdy.sharding_group %x group_id=21 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=21 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=21 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=8 : tensor<8x8xf32>
  sdy.sharding_group %z group_id=8 : tensor<8x8xf32>
  sdy.sharding_group %w group_id=30 : tensor<4xf32>
  sdy.sharding_group %v group_id=30 : tensor<4xf32>
  sdy.sharding_group %v group_id=5 : tensor<4xf32>
  %0 = stablehlo.add %y, %z : tensor<8x8xf32>
  %1 = stablehlo.negate %w : tensor<4xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<4xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  sdy.sharding_group %x group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=0 : tensor<8x8xf32>
  %0 = stablehlo.add %y, %z : tensor<8x8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8x8xf32>
  %1 = stablehlo.add %0, %x : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %1, %2, %3 : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.concatenate %3, %2, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %5 = stablehlo.slice %4 [0:8, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}
// -----
func.func @main(%x: tensor<2x4x4xf32>, %t: tensor<2x3xf32>, %k: tensor<2x16xf32>) -> tensor<2x4x4xf32> {
  %0:2 = stablehlo.custom_call @Eigh(%x) : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
  %1:2 = stablehlo.custom_call @Qr(%0#0) : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
  %2 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%x, %t) : (tensor<2x4x4xf32>, tensor<2x3xf32>) -> tensor<2x4x4xf32>
  %3:2 = stablehlo.custom_call @mhlo.topk(%k) : (tensor<2x16xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %4 = stablehlo.custom_call @mhlo.erf(%k) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %5 = stablehlo.custom_call @xla.sdy.unknown(%k) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %6 = stablehlo.custom_call @Sharding(%k) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %7 = stablehlo.custom_call @X64Combine(%k, %k) : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x16xf32>
  %8 = stablehlo.custom_call @annotate_device_placement(%k) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %c0 = stablehlo.constant dense<0.0> : tensor<f32>
  %c1 = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<2x16xi32>
  %9:2 = stablehlo.custom_call @ApproxTopK(%k, %i, %c0, %c1) : (tensor<2x16xf32>, tensor<2x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  %10:2 = stablehlo.custom_call @PartialReduce(%k, %i, %c0, %c1) : (tensor<2x16xf32>, tensor<2x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return %2 : tensor<2x4x4xf32>
}
// -----
func.func @main(%x: tensor<4x8x10x6xf32>, %k: tensor<3x4x3x8xf32>, %l: tensor<3x4x6x8xf32>, %m: tensor<8x10x6x8xf32>) -> tensor<4x6x7x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x10x6xf32>, tensor<3x4x3x8xf32>) -> tensor<4x6x7x8xf32>
  %1 = stablehlo.convolution(%x, %l) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x8x10x6xf32>, tensor<3x4x6x8xf32>) -> tensor<2x6x7x8xf32>
  %2 = stablehlo.convolution(%x, %m) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, b, 1, 0], window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x10x6xf32>, tensor<8x10x6x8xf32>) -> tensor<8x4x1x3xf32>
  return %0 : tensor<4x6x7x8xf32>
}
// -----
func.func @main(%x: tensor<2x3x20xf32>, %y: tensor<6x20xf32>, %z: tensor<4x6x5xf32>) -> tensor<6x20xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x3x20xf32>) -> tensor<6x20xf32>
  %1 = stablehlo.reshape %x : (tensor<2x3x20xf32>) -> tensor<2x60xf32>
  %2 = stablehlo.reshape %z : (tensor<4x6x5xf32>) -> tensor<6x20xf32>
  %3 = stablehlo.reshape %y : (tensor<6x20xf32>) -> tensor<8x15xf32>
  %4 = stablehlo.reshape %y : (tensor<6x20xf32>) -> tensor<3x2x1x4x5xf32>
  %5 = stablehlo.reshape %z : (tensor<4x6x5xf32>) -> tensor<2x1x12x5xf32>
  %6 = stablehlo.reshape %z : (tensor<4x6x5xf32>) -> tensor<120xf32>
  return %0 : tensor<6x20xf32>
}
// -----
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.custom_call @Cholesky(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.custom_call @CompactWyHelper(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.custom_call @InspectSharding(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = stablehlo.custom_call @InvertDiagBlocksLowerTriangular(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %4 = stablehlo.custom_call @InvertDiagBlocksUpperTriangular(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %5 = stablehlo.custom_call @LayoutConstraint(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %6 = stablehlo.custom_call @MoveToDevice(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %7 = stablehlo.custom_call @MoveToHost(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %8 = stablehlo.custom_call @X64Combine(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %9 = stablehlo.custom_call @X64SplitHigh(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %10 = stablehlo.custom_call @X64SplitLow(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %11 = stablehlo.custom_call @_SPMDInternalOp_MultiPad(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %12 = stablehlo.custom_call @_SPMDInternalOp_MultiRotate(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %13 = stablehlo.custom_call @_SPMDInternalOp_MultiSlice(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %14 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %15 = stablehlo.custom_call @_SPMDInternalOp_Wrap(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %16 = stablehlo.custom_call @annotate_device_placement(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %17 = stablehlo.custom_call @mhlo.erf(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %18 = stablehlo.custom_call @xla.megascale.provide_metadata(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %x : tensor<4x2xf32>
}
// -----
func.func @main(%x: tensor<2x6x8xf32>, %i: tensor<2x5x1xi32>, %u: tensor<2x5x8xf32>, %y: tensor<6x8xf32>, %j: tensor<5x2xi32>,
    %v: tensor<5x3xf32>) -> tensor<2x5x8xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
      slice_sizes = array<i64: 1, 1, 8>}> : (tensor<2x6x8xf32>, tensor<2x5x1xi32>) -> tensor<2x5x8xf32>
  %1 = "stablehlo.gather"(%y, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}>
      : (tensor<6x8xf32>, tensor<5x2xi32>) -> tensor<5x3xf32>
  %2 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2],
      inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2x6x8xf32>, tensor<2x5x1xi32>, tensor<2x5x8xf32>) -> tensor<2x6x8xf32>
  %3 = "stablehlo.scatter"(%y, %j, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<6x8xf32>, tensor<5x2xi32>, tensor<5x3xf32>) -> tensor<6x8xf32>
  %4:2 = "stablehlo.scatter"(%y, %y, %j, %v, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.maximum %p, %a : tensor<f32>
    %d = stablehlo.maximum %b, %q : tensor<f32>
    stablehlo.return %c, %d : tensor<f32>, tensor<f32>
  }) : (tensor<6x8xf32>, tensor<6x8xf32>, tensor<5x2xi32>, tensor<5x3xf32>, tensor<5x3xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>)
  %5:2 = "stablehlo.scatter"(%y, %y, %j, %v, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.maximum %b, %p : tensor<f32>
    %d = stablehlo.minimum %b, %q : tensor<f32>
    stablehlo.return %c, %d : tensor<f32>, tensor<f32>
  }) : (tensor<6x8xf32>, tensor<6x8xf32>, tensor<5x2xi32>, tensor<5x3xf32>, tensor<5x3xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>)
  return %0 : tensor<2x5x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = stablehlo.negate %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @g(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = func.call @f(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  return %1, %b : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1:2 = call @g(%0, %y) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %2:2 = call @g(%1#0, %x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>, <@mesh, [{"y"}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %3 = stablehlo.add %2#0, %2#1 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"y":(2)2}]>},
    %y: tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x", ?}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {?}]>},
    tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {}]>}) {
  %c = stablehlo.constant dense<1.0> : tensor<8x6xf32>
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
  %1 = stablehlo.add %c, %0 : tensor<8x6xf32>
  %2 = stablehlo.multiply %1, %x : tensor<8x6xf32>
  %3 = stablehlo.subtract %c, %2 : tensor<8x6xf32>
  return %3, %y : tensor<8x6xf32>, tensor<7x6xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %y: tensor<8x8xf32>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  sdy.sharding_group %x group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %y group_id=0 : tensor<8x8xf32>
  %0 = stablehlo.sine %z : tensor<8x8xf32>
  %dead = stablehlo.cosine %0 : tensor<8x8xf32>
  %1 = stablehlo.add %y, %0 : tensor<8x8xf32>
  sdy.sharding_group %1 group_id=1 : tensor<8x8xf32>
  %2 = stablehlo.negate %z {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y"}]>]>} : tensor<8x8xf32>
  sdy.sharding_group %2 group_id=1 : tensor<8x8xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>) {
  %dead = stablehlo.sine %x : tensor<8x8xf32>
  %dead2 = stablehlo.sine %dead : tensor<8x8xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = stablehlo.concatenate %x, %0, dim = 1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  %3 = stablehlo.add %0, %x : tensor<8x8xf32>
  return %3, %1, %2 : tensor<8x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
func.func @main(%x: tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}, {"y"}]>}, %k: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", "y"}]>}) -> (tensor<4x8x8xf32>, tensor<4x8xf32>, tensor<8x16xf32>, tensor<8x3xf32>) {
  %0:2 = stablehlo.custom_call @Eigh(%x) : (tensor<4x8x8xf32>) -> (tensor<4x8x8xf32>, tensor<4x8xf32>)
  %1 = "stablehlo.sort"(%k) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2:2 = stablehlo.custom_call @mhlo.topk(%k) : (tensor<8x16xf32>) -> (tensor<8x3xf32>, tensor<8x3xi32>)
  %4 = stablehlo.complex %x, %x : tensor<4x8x8xcomplex<f32>>
  %3 = stablehlo.fft %4, type = FFT, length = [8] : (tensor<4x8x8xcomplex<f32>>) -> tensor<4x8x8xcomplex<f32>>
  %5 = stablehlo.real %3 : (tensor<4x8x8xcomplex<f32>>) -> tensor<4x8x8xf32>
  return %5, %0#1, %1, %2#0 : tensor<4x8x8xf32>, tensor<4x8xf32>, tensor<8x16xf32>, tensor<8x3xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @h(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}) {
  %0 = stablehlo.sine %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @h(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @h(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %0 = stablehlo.add %c, %i : tensor<8x8xf32>
  %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  %2 = stablehlo.multiply %0, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<8x8xf32>
  %r = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%x init: %r) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %5 = stablehlo.add %1, %2 : tensor<8x8xf32>
  %6 = stablehlo.add %5, %4 : tensor<8x8xf32>
  %r2 = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %7 = stablehlo.add %6, %r2 : tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}
// -----
// An argument of an asynchronous body is its operand.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4x8xf32>
  %1 = "stablehlo.async_start"(%0) ({
  ^bb0(%arg1: tensor<4x8xf32>):
    %4 = "stablehlo.collective_permute"(%arg1) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    stablehlo.return %4 : tensor<4x8xf32>
  }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  %2 = "stablehlo.async_done"(%1) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
  %3 = stablehlo.add %0, %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}
// -----
// Custom calls without side effects are dead, also in regions, and those with them are not.
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @g(%arg0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.sort"(%arg0) ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %4 = stablehlo.custom_call @h() : () -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.negate %arg0 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=3]>
func.func @main(%x: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %y: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>},
    %w: tensor<12x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {?}]>},
    %v: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}]>}) -> (tensor<24xf32>, tensor<2x3x4xf32>, tensor<24xf32>, tensor<6x4xf32>) {
  %0 = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<24xf32>
  %1 = stablehlo.reshape %y : (tensor<24xf32>) -> tensor<2x3x4xf32>
  %2 = stablehlo.reshape %w : (tensor<12x2xf32>) -> tensor<24xf32>
  %3 = stablehlo.reshape %v : (tensor<24xf32>) -> tensor<6x4xf32>
  return %0, %1, %2, %3 : tensor<24xf32>, tensor<2x3x4xf32>, tensor<24xf32>, tensor<6x4xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<512x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %b: tensor<512x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
    %c: tensor<8x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<512x8xf32>, tensor<8x512xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<512x512xf32>, tensor<512x8xf32>) -> tensor<512x8xf32>
  %1 = stablehlo.dot_general %c, %a, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x512xf32>, tensor<512x512xf32>) -> tensor<8x512xf32>
  return %0, %1 : tensor<512x8xf32>, tensor<8x512xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y"}>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}], unreduced={"y", "z"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xf32>) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : tensor<8x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
  %2 = stablehlo.dot_general %1, %y, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"z"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.add %2, %3 : tensor<8x8xf32>
  return %0, %4 : tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>, %p: tensor<i1>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = "stablehlo.if"(%p) ({
    %a = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : tensor<8x8xf32>
    stablehlo.return %a : tensor<8x8xf32>
  }, {
    %a = stablehlo.abs %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<8x8xf32>
    stablehlo.return %a : tensor<8x8xf32>
  }) : (tensor<i1>) -> tensor<8x8xf32>
  %1:2 = stablehlo.optimization_barrier %0, %x : tensor<8x8xf32>, tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1#1 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @scale(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<8x8xf32>
  %0 = stablehlo.multiply %a, %c : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @ones() -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8x8xf32>
  %s = stablehlo.constant dense<3.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x8xf32>
  sdy.sharding_group %c group_id=1 : tensor<8x8xf32>
  %n = stablehlo.negate %i : tensor<8x8xf32>
  %m = stablehlo.add %n, %c : tensor<8x8xf32>
  %0 = func.call @scale(%x) {mhlo.frontend_attributes = {k = "v"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %o = func.call @ones() : () -> tensor<8x8xf32>
  %1 = stablehlo.add %0, %m : tensor<8x8xf32>
  %2 = stablehlo.multiply %1, %b : tensor<8x8xf32>
  %3 = stablehlo.subtract %2, %m : tensor<8x8xf32>
  %4 = stablehlo.divide %3, %b : tensor<8x8xf32>
  %5 = stablehlo.add %4, %o : tensor<8x8xf32>
  %6 = stablehlo.multiply %5, %o : tensor<8x8xf32>
  %7 = sdy.named_computation<"f">(%6, %c) (%a: tensor<8x8xf32>, %d: tensor<8x8xf32>) {
    %8 = stablehlo.add %a, %d : tensor<8x8xf32>
    %e = stablehlo.constant dense<4.0> : tensor<8x8xf32>
    %9 = stablehlo.add %8, %e : tensor<8x8xf32>
    sdy.return %9 : tensor<8x8xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.concatenate %x, %x, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %2 = stablehlo.slice %y [0:8, 4:12] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<8x16xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.custom_call @unknown(%2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=8, k=8} reduction={j}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.add %0, %y : tensor<8x16xf32>
  return %4, %1, %3 : tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"y", "x"}]>},
    %y: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}], unreduced={"y"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}], unreduced={"x", "y"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}]>]>} : tensor<8x8xf32>
  %3 = stablehlo.add %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}], unreduced={"x"}>]>} : tensor<8x8xf32>
  %4 = stablehlo.multiply %0, %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}]>]>} : tensor<8x8xf32>
  return %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// Of axes that overlap, the ones that divide a factor into most further shards, behind those it has.
sdy.mesh @mesh = <["x"=2, "y"=4, "w"=2]>
func.func @main(%x: tensor<16x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", "w"}, {}, {}]>},
    %y: tensor<16x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>},
    %z: tensor<16x16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}, {"y"}, {}]>}) -> (tensor<16x16x4xf32>, tensor<16x16x4xf32>, tensor<16x16x6xf32>) {
  %0 = stablehlo.concatenate %x, %y, dim = 2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<16x16x2xf32>, tensor<16x16x2xf32>) -> tensor<16x16x4xf32>
  %1 = stablehlo.concatenate %z, %y, dim = 2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "w"}, {"y"}, {}]>]>} : (tensor<16x16x2xf32>, tensor<16x16x2xf32>) -> tensor<16x16x4xf32>
  %2 = stablehlo.concatenate %x, %y, %z, dim = 2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "w"}, {"x"}, {}]>]>} : (tensor<16x16x2xf32>, tensor<16x16x2xf32>, tensor<16x16x2xf32>) -> tensor<16x16x6xf32>
  return %0, %1, %2 : tensor<16x16x4xf32>, tensor<16x16x4xf32>, tensor<16x16x6xf32>
}
// -----
// Axes along a concatenated dimension move to other dimensions that they divide.
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
func.func @main(%x: tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"z", "y"}]>},
    %y: tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"z", "y"}]>},
    %a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %b: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}) -> (tensor<8x8x12xf32>, tensor<16x6xf32>) {
  %0 = stablehlo.concatenate %x, %y, dim = 2 : (tensor<8x8x6xf32>, tensor<8x8x6xf32>) -> tensor<8x8x12xf32>
  %1 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<16x6xf32>
  return %0, %1 : tensor<8x8x12xf32>, tensor<16x6xf32>
}
// -----
// Calls whose results have the shardings of their operands, and one that is not known.
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = stablehlo.custom_call @annotate_device_placement(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.custom_call @Cholesky(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.custom_call @CompactWyHelper(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = stablehlo.custom_call @InspectSharding(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %4 = stablehlo.custom_call @InvertDiagBlocksLowerTriangular(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %5 = stablehlo.custom_call @InvertDiagBlocksUpperTriangular(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %6 = stablehlo.custom_call @LayoutConstraint(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %7 = stablehlo.custom_call @mhlo.erf(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %8 = stablehlo.custom_call @MoveToDevice(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %9 = stablehlo.custom_call @MoveToHost(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %10 = stablehlo.custom_call @X64Combine(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %11 = stablehlo.custom_call @X64SplitHigh(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %12 = stablehlo.custom_call @X64SplitLow(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %13 = stablehlo.custom_call @xla.megascale.provide_metadata(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %14 = stablehlo.custom_call @_SPMDInternalOp_MultiPad(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %15 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %16 = stablehlo.custom_call @_SPMDInternalOp_MultiRotate(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %17 = stablehlo.custom_call @_SPMDInternalOp_MultiSlice(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %18 = stablehlo.custom_call @_SPMDInternalOp_Wrap(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %19 = stablehlo.custom_call @unknown(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
// -----
// Parts of axes and uneven axes of inputs and outputs: of the main function, of others, and of manual computations.
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
func.func private @part(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2, ?}, {"z", ?}]>}, %b: tensor<3x6xf32>) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2, ?}, {"y":(1)2, ?}]>}, tensor<3x6xf32>) {
  %0 = stablehlo.negate %a : tensor<8x6xf32>
  return %0, %b : tensor<8x6xf32>, tensor<3x6xf32>
}
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2, ?}, {"z", ?}p2]>}, %y: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, "z", ?}, {"x", "y":(2)2}]>},
    %z: tensor<3x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {"y", ?}]>}, %w: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}]>}, %e: tensor<0x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y":(2)2, ?}, {?}]>}, tensor<3x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"z", "x"}]>}, tensor<16x12xf32>, tensor<12xf32>, tensor<0x6xf32>) {
  %0:2 = call @part(%x, %z) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"z", ?}]>, <@mesh, [{"y", ?}, {"z", "x"}]>]>} : (tensor<8x6xf32>, tensor<3x6xf32>) -> (tensor<8x6xf32>, tensor<3x6xf32>)
  %1:2 = sdy.manual_computation(%y, %w) in_shardings=[<@mesh, [{"x", "y", ?}, {?}]>, <@mesh, [{"x", "y", ?}]>] out_shardings=[<@mesh, [{"x", ?}, {"y", "z"}]>, <@mesh, [{"x", "y", ?}]>] manual_axes={"x"} (%a: tensor<8x12xf32>, %b: tensor<6xf32>) {
    %2 = stablehlo.abs %a : tensor<8x12xf32>
    %3 = stablehlo.negate %b : tensor<6xf32>
    sdy.return %2, %3 : tensor<8x12xf32>, tensor<6xf32>
  } : (tensor<16x12xf32>, tensor<12xf32>) -> (tensor<16x12xf32>, tensor<12xf32>)
  return %0#0, %0#1, %1#0, %1#1, %e : tensor<8x6xf32>, tensor<3x6xf32>, tensor<16x12xf32>, tensor<12xf32>, tensor<0x6xf32>
}
// -----
// Axes of size 1 of everything that has a sharding.
sdy.mesh @mesh = <["a"=1, "x"=2, "b"=1, "y"=4]>
sdy.mesh @other = <["x"=2, "y"=4]>
func.func private @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "x"}p1, {"b"}p2]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}p1, {"y", "a", ?}p3]>}) {
  %0 = stablehlo.negate %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}], replicated={"x", "b"}>}, %n: tensor<i32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "b"}, {"a", ?}p1], unreduced={"y"}>}) {
  %0 = call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "y"}, {"b", ?}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", "a"}, {"b", "y", ?}]>] out_shardings=[<@mesh, [{"x", "b", ?}, {"y", "a"}]>] manual_axes={"x"} (%a: tensor<4x8xf32>) {
    %4 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"y", "b", ?}]>]>} : tensor<4x8xf32>
    sdy.return %4 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2:2 = stablehlo.while(%v = %1, %i = %n) : tensor<8x8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a", ?}]>, <@mesh, []>]>}
   cond {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.subtract %i, %c : tensor<i32>
    %w = sdy.reshard %v <@mesh, [{"a"}, {"x", "b", "y":(1)2}]> : tensor<8x8xf32>
    stablehlo.return %w, %j : tensor<8x8xf32>, tensor<i32>
  }
  %3 = sdy.sharding_constraint %2#0 <@other, [{"x"}, {?}]> : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
// -----
// Terms of reductions that flow into loops, branches, barriers, calls and results.
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
func.func private @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}], unreduced={"x"}>}, %b: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, tensor<8x8xf32>) {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}], unreduced={"y"}>]>} : tensor<8x8xf32>
  return %0, %b : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}], unreduced={"x", "y"}>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}], unreduced={"y":(1)2}>}, %n: tensor<i32>, %q: tensor<i1>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}], unreduced={"x"}>}, tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}]>}) {
  %0:2 = stablehlo.while(%v = %x, %i = %n) : tensor<8x8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}], unreduced={"y"}>, <@mesh, []>]>}
   cond {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.subtract %i, %c : tensor<i32>
    %w = stablehlo.negate %v {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}], unreduced={"x", "y"}>]>} : tensor<8x8xf32>
    stablehlo.return %w, %j : tensor<8x8xf32>, tensor<i32>
  }
  %1 = "stablehlo.if"(%q) ({
    stablehlo.return %x : tensor<8x8xf32>
  }, {
    %c = stablehlo.abs %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(2)2}, {"z"}], unreduced={"x"}>]>} : tensor<8x8xf32>
    stablehlo.return %c : tensor<8x8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}], unreduced={"x"}>]>} : (tensor<i1>) -> tensor<8x8xf32>
  %2:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {}], unreduced={"y"}>, <@mesh, [{}, {"x"}]>]>} %x, %y : tensor<8x8xf32>, tensor<8x8xf32>
  %3:2 = call @f(%x, %y) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"z"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %4 = stablehlo.add %0#0, %3#0 : tensor<8x8xf32>
  %5 = stablehlo.add %2#0, %2#1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {"x"}]>]>} : tensor<8x8xf32>
  %6 = stablehlo.add %4, %5 : tensor<8x8xf32>
  return %x, %6, %1, %y : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// Functions that are called several times, with attributes, in other functions.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @leaf(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) attributes {execution_thread = "main"} {
  %0 = stablehlo.subtract %a, %b : tensor<8x8xf32>
  return %0, %b : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @twice(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0:2 = call @leaf(%a, %a) {mhlo.frontend_attributes = {k = "v"}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"x"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %1:2 = call @leaf(%0#1, %0#0) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %2 = stablehlo.add %1#0, %1#1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
func.func private @unused(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %y: tensor<8x8xf32>, %z: tensor<4xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @twice(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @twice(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @twice(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3:2 = call @leaf(%2, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>, <@mesh, [{?}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %4 = stablehlo.multiply %3#0, %3#1 : tensor<8x8xf32>
  %5 = stablehlo.add %0, %4 : tensor<8x8xf32>
  return %5, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// Named computations that become functions of one name, with edges of arguments and results.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @g(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.abs %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = sdy.named_computation<"g">(%x, %y) out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{?}, {?}]>] (%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) {
    %3 = sdy.named_computation<"h">(%b) in_shardings=[<@mesh, [{"y", ?}, {?}]>] (%d: tensor<8x8xf32>) {
      %5 = stablehlo.sine %d : tensor<8x8xf32>
      sdy.return %5 : tensor<8x8xf32>
    } {mhlo.frontend_attributes = {k = "v"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = stablehlo.add %a, %3 : tensor<8x8xf32>
    sdy.return %4, %b : tensor<8x8xf32>, tensor<8x8xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %1 = call @g(%0#0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.named_computation<"g">(%1) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] (%a: tensor<8x8xf32>) {
    %3 = stablehlo.negate %a : tensor<8x8xf32>
    sdy.return %3 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2, %0#1, %0#0 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// Manual computations with axes that shardings do not use: kept in the order of the mesh, behind those stated.
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2, "w"=2]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%x: tensor<16x8xf32>, %y: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"w"}]>}) -> (tensor<16x8xf32>, tensor<16xf32>, tensor<16x8xf32>, tensor<f32>) {
  %0:2 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{"z", ?}, {"y":(1)2}], replicated={"w"}>, <@mesh, [{}], replicated={"y"}>] out_shardings=[<@mesh, [{"z", "x"}, {"y", ?}]>, <@mesh, [{"w", "x"}]>] manual_axes={"w", "z", "x", "y"} (%a: tensor<8x4xf32>, %b: tensor<16xf32>) {
    %3 = stablehlo.slice %a [0:4, 0:2] : (tensor<8x4xf32>) -> tensor<4x2xf32>
    %4 = stablehlo.slice %b [0:4] : (tensor<16xf32>) -> tensor<4xf32>
    sdy.return %3, %4 : tensor<4x2xf32>, tensor<4xf32>
  } : (tensor<16x8xf32>, tensor<16xf32>) -> (tensor<16x8xf32>, tensor<16xf32>)
  %1 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"y"}, {"x", "z", ?}]>] out_shardings=[<@mesh, [{"y", "w", ?}, {?}], replicated={"z"}>] manual_axes={"y"} (%a: tensor<4x8xf32>) {
    %3 = sdy.sharding_constraint %a <@mesh, [{"x", ?}, {?}]> : tensor<4x8xf32>
    %4 = stablehlo.add %3, %a : tensor<4x8xf32>
    sdy.return %4 : tensor<4x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %2 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"z", "x"} () {
    %3 = stablehlo.constant dense<1.0> : tensor<f32>
    sdy.return %3 : tensor<f32>
  } : () -> tensor<f32>
  return %0#0, %0#1, %1, %2 : tensor<16x8xf32>, tensor<16xf32>, tensor<16x8xf32>, tensor<f32>
}
// -----
// Chains of constraints, of results and of edges, in regions and behind other users.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %n: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.sine %x : tensor<8x8xf32>
  %1 = stablehlo.abs %0 : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}, {"x"}]> : tensor<8x8xf32>
  %4 = stablehlo.add %0, %1 : tensor<8x8xf32>
  %5 = stablehlo.subtract %0, %3 : tensor<8x8xf32>
  %6:2 = stablehlo.while(%v = %5, %i = %n) : tensor<8x8xf32>, tensor<i32>
   cond {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.subtract %i, %c : tensor<i32>
    %w = stablehlo.multiply %v, %0 : tensor<8x8xf32>
    %s = sdy.sharding_constraint %w <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %t = sdy.sharding_constraint %s <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %u = stablehlo.add %t, %w : tensor<8x8xf32>
    stablehlo.return %u, %j : tensor<8x8xf32>, tensor<i32>
  }
  %7 = sdy.sharding_constraint %6#0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %8 = sdy.sharding_constraint %y <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %9 = sdy.sharding_constraint %4 <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
  %10 = sdy.sharding_constraint %9 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %11 = stablehlo.add %7, %8 : tensor<8x8xf32>
  %12 = stablehlo.add %6#0, %10 : tensor<8x8xf32>
  %13 = stablehlo.add %11, %12 : tensor<8x8xf32>
  return %13, %0, %4, %10 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// Constants of several users: expressions, broadcasts, those in groups, bodies and functions.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @table() -> tensor<8x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<64xf32>
  %0 = stablehlo.reshape %i : (tensor<64xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @used(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %t = call @table() : () -> tensor<8x8xf32>
  %0 = stablehlo.add %a, %t : tensor<8x8xf32>
  %1 = stablehlo.multiply %0, %t : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %k: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) {
  %s = stablehlo.constant dense<2.0> : tensor<f32>
  %c = stablehlo.constant dense<3.0> : tensor<4x8xf32>
  %d = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<1.0> : tensor<16x8xf32>
  %e = stablehlo.slice %d [0:8, 0:8] : (tensor<16x8xf32>) -> tensor<8x8xf32>
  %f = stablehlo.negate %e : tensor<8x8xf32>
  %g = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %h = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %j = stablehlo.multiply %g, %h : tensor<8x8xf32>
  sdy.sharding_group %f group_id=4 : tensor<8x8xf32>
  sdy.sharding_group %g group_id=5 : tensor<8x8xf32>
  %0 = stablehlo.add %x, %f : tensor<8x8xf32>
  %1 = stablehlo.add %0, %g : tensor<8x8xf32>
  %2 = stablehlo.subtract %1, %f : tensor<8x8xf32>
  %3 = stablehlo.subtract %2, %g : tensor<8x8xf32>
  %4 = stablehlo.add %3, %j : tensor<8x8xf32>
  %t = call @table() : () -> tensor<8x8xf32>
  %u = call @table() : () -> tensor<8x8xf32>
  %5 = call @used(%t) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = stablehlo.add %t, %4 : tensor<8x8xf32>
  %7 = sdy.named_computation<"same">(%t) (%a: tensor<8x8xf32>) {
    %9 = stablehlo.negate %a : tensor<8x8xf32>
    sdy.return %9 : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = stablehlo.add %7, %5 : tensor<8x8xf32>
  %9 = stablehlo.multiply %7, %u : tensor<8x8xf32>
  %10 = stablehlo.add %8, %9 : tensor<8x8xf32>
  %11 = stablehlo.concatenate %c, %c, %e, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %12 = stablehlo.add %11, %d : tensor<16x8xf32>
  return %6, %10, %12 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>
}
// -----
// Equal meshes of several forms, and a mesh without shardings between functions.
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>, [{"y"}]>}) {
  return %a : tensor<8xf32>
}
sdy.mesh @unused = <["q"=2]>
sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=2]>, [{?}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[5]>, []>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <mesh<[]>, [{}]> : tensor<8xf32>
  %2 = call @f(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
// -----
// Convolutions and gathers whose factors conflict, and a batch that has room for axes that must be replicated.
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
func.func @main(%x: tensor<8x16x16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"y"}, {}, {"x"}]>}, %k: tensor<3x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}, {"x"}]>}, %b: tensor<16x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"x"}, {"y"}]>}, %i: tensor<16x5x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}]>}) -> (tensor<8x16x16x8xf32>, tensor<16x8x8xf32>, tensor<16x8x8xf32>, tensor<16x5x8xf32>, tensor<16x8xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}, {"z"}, {"x"}]>]>} : (tensor<8x16x16x4xf32>, tensor<3x3x4x8xf32>) -> tensor<8x16x16x8xf32>
  %1 = stablehlo.cholesky %b, lower = true {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}, {"x"}]>]>} : tensor<16x8x8xf32>
  %2 = "stablehlo.triangular_solve"(%1, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}, {"z"}]>]>} : (tensor<16x8x8xf32>, tensor<16x8x8xf32>) -> tensor<16x8x8xf32>
  %3 = "stablehlo.gather"(%b, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}, {"z", "y"}]>]>} : (tensor<16x8x8xf32>, tensor<16x5x1xi32>) -> tensor<16x5x8xf32>
  %m = stablehlo.constant dense<0.0> : tensor<f32>
  %4:2 = "stablehlo.reduce"(%b, %b, %m, %m) <{dimensions = array<i64: 1>}> ({
  ^bb0(%p: tensor<f32>, %r: tensor<f32>, %q: tensor<f32>, %s: tensor<f32>):
    %c = stablehlo.add %p, %q : tensor<f32>
    %d = stablehlo.add %r, %s : tensor<f32>
    stablehlo.return %c, %d : tensor<f32>, tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"z"}]>, <@mesh, [{"z"}, {"y"}]>]>} : (tensor<16x8x8xf32>, tensor<16x8x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x8xf32>, tensor<16x8xf32>)
  %5 = stablehlo.add %4#0, %4#1 : tensor<16x8xf32>
  return %0, %1, %2, %3, %5 : tensor<8x16x16x8xf32>, tensor<16x8x8xf32>, tensor<16x8x8xf32>, tensor<16x5x8xf32>, tensor<16x8xf32>
}
// -----
// Edges whose sources get a sharding from later users, or from what their bodies return.
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %arg2: tensor<8x8xf32>, %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}, %arg4: tensor<i32>, %arg5: tensor<i1>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.sine %arg0 : tensor<8x8xf32>
    %1:3 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg2, %iterArg_1 = %arg4) : tensor<8x8xf32>, tensor<8x8xf32>, tensor<i32>
    cond {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %18 = stablehlo.compare GT, %iterArg_1, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %18 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.subtract %iterArg_1, %c : tensor<i32>
      %19 = stablehlo.cosine %iterArg_0 : tensor<8x8xf32>
      %20 = stablehlo.add %19, %arg3 : tensor<8x8xf32>
      %21 = stablehlo.negate %iterArg : tensor<8x8xf32>
      stablehlo.return %21, %19, %18 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<i32>
    }
    %2 = sdy.data_flow_edge %1#0 : tensor<8x8xf32>
    %3 = sdy.data_flow_edge %1#1 : tensor<8x8xf32>
    %4 = sdy.data_flow_edge %1#2 : tensor<i32>
    %5:2 = stablehlo.optimization_barrier %0, %arg2 : tensor<8x8xf32>, tensor<8x8xf32>
    %6 = sdy.data_flow_edge %5#0 : tensor<8x8xf32>
    %7 = sdy.data_flow_edge %5#1 : tensor<8x8xf32>
    %8 = stablehlo.abs %arg2 : tensor<8x8xf32>
    %9 = "stablehlo.if"(%arg5) ({
      stablehlo.return %8 : tensor<8x8xf32>
    }, {
      %18 = stablehlo.sine %8 : tensor<8x8xf32>
      stablehlo.return %18 : tensor<8x8xf32>
    }) : (tensor<i1>) -> tensor<8x8xf32>
    %10 = stablehlo.cosine %arg0 : tensor<8x8xf32>
    %11 = sdy.named_computation<"g">(%10) (%arg6: tensor<8x8xf32>) {
      %18 = sdy.data_flow_edge %arg6 : tensor<8x8xf32>
      %19 = stablehlo.sine %18 : tensor<8x8xf32>
      sdy.return %19 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %12 = sdy.data_flow_edge %11 : tensor<8x8xf32>
    %13 = stablehlo.tanh %arg2 : tensor<8x8xf32>
    %14 = stablehlo.add %0, %arg1 : tensor<8x8xf32>
    %15 = stablehlo.add %8, %14 : tensor<8x8xf32>
    %16 = stablehlo.add %10, %arg3 : tensor<8x8xf32>
    %17 = stablehlo.add %13, %16 : tensor<8x8xf32>
    return %2, %3, %6, %9, %12, %17 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
// -----
// Broadcasts are behind other ops: their results are divided by products first. Reshapes of nothing have no rule.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%v: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %m: tensor<8x8xf32>, %e: tensor<0x4xf32>, %k: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<2x0x2xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.sine %m : tensor<8x8xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.reshape %e : (tensor<0x4xf32>) -> tensor<2x0x2xf32>
  %4 = stablehlo.dot_general %0, %k, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2, %3, %4 : tensor<8x8xf32>, tensor<2x0x2xf32>, tensor<8x8xf32>
}
// -----
// One call of each function, with attributes and shardings of its own.
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) attributes {execution_thread = "main", sdy.original_func_name = "h"} {
  %0 = stablehlo.subtract %a, %b : tensor<8x8xf32>
  return %0, %b : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @h_1(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {sdy.original_func_name = "h"} {
  %0 = stablehlo.subtract %a, %b : tensor<8x8xf32>
  return %0, %b : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @h_2(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {sdy.original_func_name = "h"} {
  %0 = stablehlo.subtract %a, %b : tensor<8x8xf32>
  return %0, %b : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = call @f(%x, %y) {mhlo.frontend_attributes = {k = "v"}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"x"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %1:2 = call @h_1(%0#0, %y) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %2:2 = call @h_2(%1#0, %0#1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  return %2#0, %2#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %4 = stablehlo.add %0, %0 : tensor<8x8xf32>
  return %4, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %4 = sdy.sharding_constraint %2 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  %5 = stablehlo.add %0, %0 : tensor<8x8xf32>
  return %5, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.named_computation<"f">(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"y"}]>] (%a: tensor<8x8xf32>) {
    %e = sdy.data_flow_edge %a sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %b = stablehlo.negate %e : tensor<8x8xf32>
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}p1, {}]>}, %y: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p3, {"x", ?}]>}) -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}p1, {}]>}) {
  %0 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"x"}, {"y"}p1]>] out_shardings=[<@mesh, [{"x"}, {"y", ?}p0]>] manual_axes={"x"} (%a: tensor<3x3xf32>) {
    sdy.return %a : tensor<3x3xf32>
  } : (tensor<6x3xf32>) -> tensor<6x3xf32>
  return %x : tensor<6x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8x4xf32>, %i: tensor<3x1xi32>) -> (tensor<3x1x4xf32>, tensor<3x2x4xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<8x8x4xf32>, tensor<3x1xi32>) -> tensor<3x1x4xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2, 4>}> : (tensor<8x8x4xf32>, tensor<3x1xi32>) -> tensor<3x2x4xf32>
  return %0, %1 : tensor<3x1x4xf32>, tensor<3x2x4xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @f(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @f(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.negate %0 : tensor<8x8xf32>
  return %2, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.sine %a : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {"y"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>, %i: tensor<3x1xi32>, %u: tensor<3x2x8xf32>, %v: tensor<3x1xf32>, %z: tensor<8x1xf32>) -> (tensor<8x8xf32>, tensor<8x1xf32>) {
  %0 = "stablehlo.scatter"(%z, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x1xf32>, tensor<3x1xi32>, tensor<3x1xf32>) -> tensor<8x1xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<3x1xi32>, tensor<3x2x8xf32>) -> tensor<8x8xf32>
  return %1, %0 : tensor<8x8xf32>, tensor<8x1xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @h(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @f(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}) -> tensor<8x8xf32> {
  %0 = call @g(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @h(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @f(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @h(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @f(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @g(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.sine %a : tensor<8x8xf32>
  %1 = call @h(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = sdy.named_computation<"f">(%x) (%a: tensor<8x8xf32>) {
    %e = sdy.data_flow_edge %a sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %b = stablehlo.negate %e : tensor<8x8xf32>
    sdy.return %b, %e : tensor<8x8xf32>, tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8x8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x8xf32>
  return %3, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
