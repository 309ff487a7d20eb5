sdy.mesh @mesh = <["x"=8, "y"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}, %arg3: tensor<i32>) -> (tensor<16x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dynamic_slice %arg2, %arg3, %arg3, sizes = [8, 8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
  %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y"}]>]>} : tensor<16x8xf32>
  sdy.sharding_group %0 group_id=208 : tensor<8x8xf32>
  %2 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dynamic_update_slice %1, %1, %arg3, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "x"}, {?}]>]>} : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  %4 = stablehlo.dot_general %2, %0, contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], unreduced={"x", "y"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3, %4 : tensor<16x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func private @f0(%arg0: tensor<2x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y", ?}, {}]>}, %arg1: tensor<2x32xf32>) -> tensor<2x32xf32> {
  %0 = stablehlo.subtract %arg0, %arg1 : tensor<2x32xf32>
  return %0 : tensor<2x32xf32>
}
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z", "x"}, {?}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], replicated={"y", "z"}>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}) -> (tensor<16xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "y", "x", ?}]>}) {
  %0 = stablehlo.reshape %arg0 : (tensor<8x8xf32>) -> tensor<2x32xf32>
  %1 = call @f0(%0, %0) : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x32xf32>
  %2 = sdy.named_computation<"g">(%arg1, %arg1) in_shardings=[<@mesh, [{}]>, <@mesh, [{"z"}]>] out_shardings=[<@mesh, [{"y", "z", "x", ?}]>] (%arg3: tensor<16xf32>, %arg4: tensor<16xf32>) {
    %4 = stablehlo.add %arg3, %arg4 : tensor<16xf32>
    sdy.return %4 : tensor<16xf32>
  } : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = sdy.named_computation<"g">(%arg2, %arg0) (%arg3: tensor<8x8xf32>, %arg4: tensor<8x8xf32>) {
    %4 = stablehlo.add %arg3, %arg4 : tensor<8x8xf32>
    sdy.return %4 : tensor<8x8xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2, %3 : tensor<16xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}, %arg1: tensor<8x8xf32>, %arg2: tensor<16xf32>, %arg3: tensor<4x1xi32>) -> (tensor<8x8xf32>, tensor<2x32xf32>) {
  %0 = sdy.reshard %arg1 <@mesh, [{?}, {"y", ?}]> : tensor<8x8xf32>
  %1 = stablehlo.slice %arg1 [2:6, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = "stablehlo.gather"(%1, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  %3 = sdy.reshard %arg2 <@mesh, [{?}]> : tensor<16xf32>
  %4 = "stablehlo.scatter"(%arg1, %arg3, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
    %6 = stablehlo.add %arg4, %arg5 : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {?}]>]>} : (tensor<8x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.reshape %4 : (tensor<8x8xf32>) -> tensor<2x32xf32>
  return %4, %5 : tensor<8x8xf32>, tensor<2x32xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}, {"y"}]>}, %arg1: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}, {"z"}]>}, %arg2: tensor<8x8xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %0 = "stablehlo.sort"(%arg2) <{dimension = 1 : i64}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %3 = stablehlo.compare LT, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x4x4xf32>) -> tensor<128xf32>
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"z", ?}]>] out_shardings=[<@mesh, [{"z", ?}]>] manual_axes={"z"} (%arg3: tensor<64xf32>) {
    %3 = stablehlo.negate %arg3 : tensor<64xf32>
    sdy.return %3 : tensor<64xf32>
  } : (tensor<128xf32>) -> tensor<128xf32>
  return %1, %2 : tensor<128xf32>, tensor<128xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func private @f0(%arg0: tensor<4x2x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}, {}]>}, %arg1: tensor<4x2x16xf32>) -> (tensor<4x2x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}, {?}, {"x"}]>}) {
  %0 = stablehlo.subtract %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {"x"}, {}]>]>} : tensor<4x2x16xf32>
  return %0 : tensor<4x2x16xf32>
}
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}, {"z", "y"}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<4x2x16xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.concatenate %arg1, %arg1, dim = 2 : (tensor<4x2x8xf32>, tensor<4x2x8xf32>) -> tensor<4x2x16xf32>
  %1 = stablehlo.pad %arg2, %cst, low = [8, 0], high = [0, 0], interior = [0, 0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<16x8xf32>
  %2 = stablehlo.add %1, %1 : tensor<16x8xf32>
  %3 = call @f0(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "z", ?}, {?}, {"x", ?}]>]>} : (tensor<4x2x16xf32>, tensor<4x2x16xf32>) -> tensor<4x2x16xf32>
  return %2, %3 : tensor<16x8xf32>, tensor<4x2x16xf32>
}
// -----
sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2]>
func.func private @f0(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"z", "x"}], replicated={"y"}>}, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.subtract %arg0, %arg1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}, {"x"}], unreduced={"z"}>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}, {"x", ?}]>}) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = call @f0(%arg0, %arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "z", ?}, {"x", ?}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = call @f0(%0, %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.abs %1 : tensor<4x8xf32>
  %3 = stablehlo.add %0, %0 : tensor<4x8xf32>
  return %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}p2]>}, %arg2: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}p1, {}]>}) {
  %0 = sdy.sharding_constraint %arg1 <@mesh, [{}, {"x"}]> : tensor<16x8xf32>
  %1 = sdy.named_computation<"g">(%arg0, %0) in_shardings=[<@mesh, [{"y"}, {"x"}p1]>, <@mesh, [{"x", "y"}, {?}p0]>] out_shardings=[<@mesh, [{"x", "y", ?}p1, {}]>] (%arg3: tensor<16x8xf32>, %arg4: tensor<16x8xf32>) {
    %2 = stablehlo.add %arg3, %arg4 : tensor<16x8xf32>
    sdy.return %2 : tensor<16x8xf32>
  } : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z", "y"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<17xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}]>}) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<16xf32>
  %1 = stablehlo.pad %arg1, %cst, low = [1], high = [0], interior = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<17xf32>
  %2 = stablehlo.reduce(%arg2 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  return %1, %2 : tensor<17xf32>, tensor<8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}]>}, %arg1: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}, {}]>}, %arg2: tensor<16xf32>) -> tensor<2x8x4xf32> {
  %0 = stablehlo.transpose %arg1, dims = [1, 2, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"z"}, {"x"}]>]>} : (tensor<4x2x8xf32>) -> tensor<2x8x4xf32>
  return %0 : tensor<2x8x4xf32>
}
// -----
sdy.mesh @mesh = <["x"=8, "y"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<64x8xf32>, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<2x8xf32> {
  %0 = stablehlo.reshape %arg2 : (tensor<16xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {"y", ?}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}p2]>}, %arg2: tensor<4x2x8xf32>) -> (tensor<4x2x8xf32>, tensor<4x2x8xf32>) {
  %0 = stablehlo.multiply %arg0, %arg2 : tensor<4x2x8xf32>
  %1:2 = stablehlo.optimization_barrier %0, %arg0 : tensor<4x2x8xf32>, tensor<4x2x8xf32>
  return %1#0, %1#1 : tensor<4x2x8xf32>, tensor<4x2x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=8, "y"=2]>
func.func @main(%arg0: tensor<8x4x4xf32>, %arg1: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"x"}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], replicated={"x"}, unreduced={"y"}>}) -> (tensor<64x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, tensor<2x8x4xf32>) {
  sdy.sharding_group %arg0 group_id=304 : tensor<8x4x4xf32>
  %0 = stablehlo.compare LT, %arg1, %arg1 : (tensor<4x2x8xf32>, tensor<4x2x8xf32>) -> tensor<4x2x8xi1>
  %1 = stablehlo.select %0, %arg1, %arg1 : tensor<4x2x8xi1>, tensor<4x2x8xf32>
  %2 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}]>]>} : (tensor<8x4x4xf32>) -> tensor<64x2xf32>
  %3 = stablehlo.transpose %1, dims = [1, 2, 0] : (tensor<4x2x8xf32>) -> tensor<2x8x4xf32>
  return %2, %3 : tensor<64x2xf32>, tensor<2x8x4xf32>
}
// -----
sdy.mesh @mesh = <["x"=8, "y"=2]>
func.func @main(%arg0: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}, {"x":(2)4, ?}]>}, %arg1: tensor<4x8xf32>, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}) -> (tensor<32xf32>, tensor<4x16xf32>) {
  %0 = stablehlo.concatenate %arg1, %arg1, dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %1 = stablehlo.reshape %arg1 : (tensor<4x8xf32>) -> tensor<32xf32>
  %2 = sdy.named_computation<"g">(%0, %0) (%arg3: tensor<4x16xf32>, %arg4: tensor<4x16xf32>) {
    %3 = stablehlo.add %arg3, %arg4 : tensor<4x16xf32>
    sdy.return %3 : tensor<4x16xf32>
  } : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1, %2 : tensor<32xf32>, tensor<4x16xf32>
}
// -----
sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {"y", ?}]>}, %arg1: tensor<64x8xf32>, %arg2: tensor<16x8xf32>, %arg3: tensor<i32>) -> tensor<16x8xf32> {
  %0:2 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %arg3) : tensor<16x8xf32>, tensor<i32>
  cond {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare GT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.subtract %iterArg_0, %c : tensor<i32>
    %2 = stablehlo.add %iterArg, %arg2 : tensor<16x8xf32>
    stablehlo.return %2, %1 : tensor<16x8xf32>, tensor<i32>
  }
  sdy.sharding_group %arg2 group_id=208 : tensor<16x8xf32>
  return %0#0 : tensor<16x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x4x4xf32>, %arg1: tensor<16x8xf32>, %arg2: tensor<16x8xf32>, %arg3: tensor<i1>) -> (tensor<16x8xf32>, tensor<8x16xf32>) {
  %0 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"y"}, {?}]>] out_shardings=[<@mesh, [{"y"}, {?}]>] manual_axes={"y"} (%arg4: tensor<4x8xf32>) {
    %3 = stablehlo.negate %arg4 : tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<16x8xf32>
  %1 = "stablehlo.if"(%arg3) ({
    %3 = stablehlo.negate %arg1 : tensor<16x8xf32>
    stablehlo.return %3 : tensor<16x8xf32>
  }, {
    %3 = sdy.sharding_constraint %arg1 <@mesh, [{"y"}, {}]> : tensor<16x8xf32>
    stablehlo.return %arg1 : tensor<16x8xf32>
  }) : (tensor<i1>) -> tensor<16x8xf32>
  %2 = stablehlo.reshape %cst : (tensor<16x8xf32>) -> tensor<8x16xf32>
  return %1, %2 : tensor<16x8xf32>, tensor<8x16xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x4x4xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"z", "x"}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"z", ?}]>}) {
  %0 = sdy.sharding_constraint %arg1 <@mesh, [{}, {"x", "y", "z"}]> : tensor<8x8xf32>
  %1 = sdy.reshard %arg2 <@mesh, [{"z", ?}, {"y"}], replicated={"x"}> : tensor<8x16xf32>
  %2 = stablehlo.reshape %arg2 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}
// -----
sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p0, {"y"}p2, {}]>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>}) -> (tensor<64x8xf32>, tensor<64x8xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%arg1, %cst) <{padding = dense<[[63, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 64, 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %2 = stablehlo.add %arg3, %arg4 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", "x"}, {"z", ?}p0]>]>} : (tensor<64x8xf32>, tensor<f32>) -> tensor<64x8xf32>
  %1 = "stablehlo.reduce_window"(%arg1, %cst) <{padding = dense<[[63, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 64, 1>}> ({
  ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
    %2 = stablehlo.add %arg3, %arg4 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<64x8xf32>, tensor<f32>) -> tensor<64x8xf32>
  return %0, %1 : tensor<64x8xf32>, tensor<64x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=8, "y"=2]>
func.func @main(%arg0: tensor<16x8xf32>, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {?}]>}, %arg2: tensor<16x8xf32>) -> (tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<16x2xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg2, batching_dims = [1] x [1], contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xf32>) -> tensor<8x2xf32>
  %2 = stablehlo.dot_general %arg2, %1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}, {}]>]>} : (tensor<16x8xf32>, tensor<8x2xf32>) -> tensor<16x2xf32>
  return %1, %2 : tensor<8x2xf32>, tensor<16x2xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<4x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<8x8xf32>, %arg2: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg3: tensor<i32>) -> (tensor<8x16xf32>, tensor<8x8xf32>) {
  %0 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"y"}, {?}]>] out_shardings=[<@mesh, [{"y"}, {?}]>] manual_axes={"y"} (%arg4: tensor<4x8xf32>) {
    %3 = stablehlo.negate %arg4 : tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dynamic_update_slice %arg2, %arg2, %arg3, %arg3 : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
  %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"y"}, {?}]>] out_shardings=[<@mesh, [{"y"}, {?}]>] manual_axes={"y"} (%arg4: tensor<4x8xf32>) {
    %3 = stablehlo.negate %arg4 : tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg1: tensor<4x8xf32>, %arg2: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) {
  %0 = stablehlo.negate %arg0 : tensor<8x4x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<8x4x4xf32>) -> tensor<16x8xf32>
  %2 = stablehlo.reverse %1, dims = [1] : tensor<16x8xf32>
  %3 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"y"}, {}, {}]>] out_shardings=[<@mesh, [{"y"}, {}, {}]>] manual_axes={"y"} (%arg3: tensor<2x4x4xf32>) {
    %4 = stablehlo.negate %arg3 : tensor<2x4x4xf32>
    sdy.return %4 : tensor<2x4x4xf32>
  } : (tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
  return %2, %3 : tensor<16x8xf32>, tensor<8x4x4xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<64x8xf32>, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {"y", ?}]>}, %arg3: tensor<i1>) -> (tensor<64x8xf32>, tensor<2x32xf32>) {
  %0 = stablehlo.iota dim = 1 : tensor<8x8xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x", "z"}, {"y", ?}]> : tensor<8x8xf32>
  %2 = "stablehlo.if"(%arg3) ({
    %4 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}, {?}]>]>} : tensor<64x8xf32>
    stablehlo.return %4 : tensor<64x8xf32>
  }, {
    %4 = sdy.sharding_constraint %arg1 <@mesh, [{"y", ?}, {?}]> : tensor<64x8xf32>
    stablehlo.return %arg1 : tensor<64x8xf32>
  }) : (tensor<i1>) -> tensor<64x8xf32>
  %3 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<2x32xf32>
  return %2, %3 : tensor<64x8xf32>, tensor<2x32xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}p2]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}], replicated={"y"}>}) -> tensor<16xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"x", "y"}>}, %arg1: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg2: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> (tensor<64x8xf32>, tensor<8x8xf32>) {
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {"z"}, {?}]>]>} : (tensor<64x8xf32>) -> tensor<64x8x8xf32>
  %1 = stablehlo.pad %arg2, %cst, low = [0, 8], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"z", "y", "x"}]>]>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x24xf32>
  %2 = sdy.named_computation<"g">(%arg1, %arg1) (%arg3: tensor<64x8xf32>, %arg4: tensor<64x8xf32>) {
    %5 = stablehlo.add %arg3, %arg4 : tensor<64x8xf32>
    sdy.return %5 : tensor<64x8xf32>
  } : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"y", "x", "z"}, {}]> : tensor<64x8xf32>
  %4 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}, {"z"}]> : tensor<8x8xf32>
  return %3, %4 : tensor<64x8xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z"}, {"x", ?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}, {"x", ?}]>}, %arg2: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<i1>) -> (tensor<8x8xf32>, tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "z"}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.slice %arg1 [0:8, 2:6] : (tensor<8x8xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.compare LT, %arg1, %arg0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %3 = stablehlo.select %2, %arg0, %arg0 : tensor<8x8xi1>, tensor<8x8xf32>
  %4 = "stablehlo.if"(%arg3) ({
    %5 = stablehlo.negate %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y", "z"}], unreduced={"x"}>]>} : tensor<64x8xf32>
    stablehlo.return %5 : tensor<64x8xf32>
  }, {
    stablehlo.return %arg2 : tensor<64x8xf32>
  }) : (tensor<i1>) -> tensor<64x8xf32>
  return %3, %4 : tensor<8x8xf32>, tensor<64x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=8, "y"=2]>
func.func @main(%arg0: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %arg2: tensor<16x8xf32>, %arg3: tensor<i32>) -> tensor<16x8xf32> {
  sdy.sharding_group %arg0 group_id=208 : tensor<64x8xf32>
  %0 = stablehlo.dynamic_update_slice %arg2, %arg1, %arg3, %arg3 : (tensor<16x8xf32>, tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  sdy.sharding_group %arg0 group_id=208 : tensor<64x8xf32>
  return %0 : tensor<16x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=8, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %arg1: tensor<8x4x4xf32>, %arg2: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}]>}) -> (tensor<8x8xf32>, tensor<8x4x4xf32>) {
  %cst = stablehlo.constant dense<2.000000e+00> : tensor<8x8xf32>
  %0 = stablehlo.cholesky %arg1, lower = true : tensor<8x4x4xf32>
  return %cst, %0 : tensor<8x8xf32>, tensor<8x4x4xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {?}], unreduced={"y"}>}, %arg1: tensor<8x16xf32>, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}], unreduced={"y", "z"}>}) -> tensor<8x16xf32> {
  sdy.sharding_group %arg2 group_id=208 : tensor<8x8xf32>
  return %arg0 : tensor<8x16xf32>
}
// -----
sdy.mesh @mesh = <["x"=8, "y"=2]>
func.func @main(%arg0: tensor<16x8xf32>, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], unreduced={"x"}>}, %arg2: tensor<64x8xf32>, %arg3: tensor<i32>) -> (tensor<8x16xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], replicated={"x", "y"}>}) {
  %0 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [0] x [1] : (tensor<8x16xf32>, tensor<64x8xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {}], unreduced={"x", "y"}>]>} : tensor<8x16xf32>
  %2 = stablehlo.dynamic_update_slice %arg1, %arg1, %arg3, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
  %3 = stablehlo.slice %arg1 [0:8, 4:12] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {"y"}]>]>} : (tensor<8x16xf32>) -> tensor<8x8xf32>
  return %2, %3 : tensor<8x16xf32>, tensor<8x8xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func private @f0(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.subtract %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", "y"}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y"}]>}, %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}]>}, %arg3: tensor<4x1xi32>) -> (tensor<8x8xf32>, tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}) {
  %0 = stablehlo.reshape %arg2 : (tensor<8x8xf32>) -> tensor<32x2xf32>
  %1 = "stablehlo.gather"(%arg0, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<8x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  %2 = call @f0(%arg2, %arg0) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.slice %1 [0:4, 2:6] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return %2, %3 : tensor<8x8xf32>, tensor<4x4xf32>
}
// -----
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<64x8xf32>, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg2: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<i32>) -> (tensor<4x4x64xf32>, tensor<2x8x4xf32>) {
  %0 = stablehlo.compare LT, %arg2, %arg2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %1 = stablehlo.select %0, %arg2, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y", "x"}]>]>} : tensor<4x8xi1>, tensor<4x8xf32>
  %2 = stablehlo.dynamic_slice %arg0, %arg3, %arg3, sizes = [32, 8] : (tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<32x8xf32>
  %3 = sdy.reshard %arg2 <@mesh, [{}, {}]> : tensor<4x8xf32>
  %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", "x", ?}, {?}]>]>} : (tensor<4x8xf32>) -> tensor<4x8x4xf32>
  %5 = stablehlo.dot_general %4, %arg0, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y":(2)2}, {"y":(1)2}]>]>} : (tensor<4x8x4xf32>, tensor<64x8xf32>) -> tensor<4x4x64xf32>
  %6 = stablehlo.slice %4 [1:3, 0:8, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<4x8x4xf32>) -> tensor<2x8x4xf32>
  return %5, %6 : tensor<4x4x64xf32>, tensor<2x8x4xf32>
}
