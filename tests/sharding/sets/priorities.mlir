module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p1, {?}p0]>}) -> (tensor<16xi32> {jax.result_info = "result"}) {
    %0 = call @argmax(%arg0) : (tensor<16x32xf32>) -> tensor<16xi32>
    return %0 : tensor<16xi32>
  }
  func.func private @argmax(%arg0: tensor<16x32xf32>) -> tensor<16xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<16x32xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<16x32xf32>, tensor<16x32xi32>, tensor<f32>, tensor<i32>) -> (tensor<16xf32>, tensor<16xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<16xi32>
  }
}
// -----
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}p0, {}]>}, %arg1: tensor<8x16xf32>) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %2 = stablehlo.multiply %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y", ?}p1, {}]>]>} : tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}
// -----
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}p0, {}]>}, %arg1: tensor<1xf32>) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg1 : (tensor<1xf32>) -> tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare GT, %0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
      %5 = stablehlo.multiply %arg0, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y", ?}p1, {}]>]>} : tensor<16x8xf32>
      %6 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %7 = stablehlo.dot_general %5, %6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
      %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
      %9 = stablehlo.multiply %7, %8 : tensor<16x16xf32>
      stablehlo.return %9 : tensor<16x16xf32>
    }, {
      %4 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %5 = stablehlo.dot_general %arg0, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
      stablehlo.return %5 : tensor<16x16xf32>
    }) : (tensor<i32>) -> tensor<16x16xf32>
    return %3 : tensor<16x16xf32>
  }
}
// -----
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p1, {?}p0]>}) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<16x16xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @closed_call(%iterArg_0) : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<16x16xf32>
    }
    return %0#1 : tensor<16x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %0 = stablehlo.sine %arg0 : tensor<16x16xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %3 = stablehlo.dot_general %2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %3 : tensor<16x16xf32>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1]>}, %arg2: tensor<6x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}p2]>}, %arg3: tensor<3x6x12xi1>, %arg4: tensor<f32>, %arg5: tensor<8xf32>, %arg6: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {?}]>}, %arg7: tensor<3x6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {}, {}], replicated={"x"}>}, %arg8: tensor<i16>, %arg9: tensor<8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0]>}, %arg10: tensor<6x5xi16>, %arg11: tensor<3x6x12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<i64>, %arg13: tensor<8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<6x5xi64>, %arg15: tensor<3x6x12xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p2, {}]>}) -> (tensor<3x6x12xi16>, tensor<i1>, tensor<8xi16>) {
    %0 = stablehlo.xor %arg11, %arg11 : tensor<3x6x12xi16>
    %1 = stablehlo.xor %arg0, %arg0 : tensor<i1>
    %2 = stablehlo.popcnt %arg9 : tensor<8xi16>
    return %0, %1, %2 : tensor<3x6x12xi16>, tensor<i1>, tensor<8xi16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<4x3xi1>, %arg3: tensor<16x4x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}p1, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<16xbf16>, %arg6: tensor<4x3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {}]>}, %arg7: tensor<16x4x12xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg8: tensor<i32>, %arg9: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}p1]>}, %arg10: tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p0, {}]>}, %arg11: tensor<16x4x12xi32>, %arg12: tensor<ui64>, %arg13: tensor<16xui64>, %arg14: tensor<4x3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}]>}, %arg15: tensor<16x4x12xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {?}p0, {}]>}) -> (tensor<i1>, tensor<1x2xbf16>, tensor<16xi32>) {
    %0 = stablehlo.convert %arg4 : (tensor<bf16>) -> tensor<i1>
    %1 = stablehlo.dynamic_slice %arg6, %arg8, %arg8, sizes = [1, 2] : (tensor<4x3xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x2xbf16>
    %2 = stablehlo.add %arg9, %arg9 : tensor<16xi32>
    return %0, %1, %2 : tensor<i1>, tensor<1x2xbf16>, tensor<16xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<2x8xi1>, %arg3: tensor<5x16x16xi1>, %arg4: tensor<f64>, %arg5: tensor<8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<2x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y", ?}p2]>}, %arg7: tensor<5x16x16xf64>, %arg8: tensor<ui32>, %arg9: tensor<8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<2x8xui32>, %arg11: tensor<5x16x16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {"x"}p0, {"y"}p0]>}, %arg12: tensor<ui64>, %arg13: tensor<8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}], replicated={"y"}>}, %arg14: tensor<2x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p2, {"x", ?}p2]>}, %arg15: tensor<5x16x16xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}p2, {"x"}p0]>}) -> (tensor<f64>, tensor<5x16x16xui64>, tensor<2x8xui64>) {
    %0 = stablehlo.floor %arg4 : tensor<f64>
    %1 = stablehlo.clamp %arg15, %arg15, %arg15 : tensor<5x16x16xui64>
    %2 = stablehlo.shift_left %arg14, %arg14 : tensor<2x8xui64>
    return %0, %1, %2 : tensor<f64>, tensor<5x16x16xui64>, tensor<2x8xui64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1>, %arg2: tensor<8x8xi1>, %arg3: tensor<12x12x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}p0, {?}p2, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<12xbf16>, %arg6: tensor<8x8xbf16>, %arg7: tensor<12x12x12xbf16>, %arg8: tensor<i16>, %arg9: tensor<12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1]>}, %arg10: tensor<8x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<12x12x12xi16>, %arg12: tensor<ui8>, %arg13: tensor<12xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p1]>}, %arg14: tensor<8x8xui8>, %arg15: tensor<12x12x12xui8>) -> (tensor<8x8xi1>, tensor<8x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"z", "y", ?}]>}) {
    %0 = stablehlo.convert %arg6 : (tensor<8x8xbf16>) -> tensor<8x8xi1>
    %1 = stablehlo.select %arg2, %0, %arg2 : tensor<8x8xi1>, tensor<8x8xi1>
    %2 = stablehlo.convert %arg2 : (tensor<8x8xi1>) -> tensor<8x8xui8>
    %3 = stablehlo.shift_left %2, %arg14 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y", "z", "x"}p1]>]>} : tensor<8x8xui8>
    return %1, %3 : tensor<8x8xi1>, tensor<8x8xui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1>, %arg2: tensor<16x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p0]>}, %arg3: tensor<8x12x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}p0, {}]>}, %arg4: tensor<f16>, %arg5: tensor<16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<16x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p0]>}, %arg7: tensor<8x12x2xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {}, {}]>}, %arg8: tensor<ui32>, %arg9: tensor<16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg10: tensor<16x8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg11: tensor<8x12x2xui32>, %arg12: tensor<i16>, %arg13: tensor<16xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p2]>}, %arg14: tensor<16x8xi16>, %arg15: tensor<8x12x2xi16>) -> (tensor<16x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p0, {?}p2]>}, tensor<8x12x2xi16>, tensor<16x8xi1>) {
    %0 = stablehlo.clamp %arg14, %arg14, %arg14 : tensor<16x8xi16>
    %1 = stablehlo.maximum %arg15, %arg15 : tensor<8x12x2xi16>
    %2 = stablehlo.reverse %arg2, dims = [1] : tensor<16x8xi1>
    return %0, %1, %2 : tensor<16x8xi16>, tensor<8x12x2xi16>, tensor<16x8xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1>, %arg2: tensor<16x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<8x5x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p2, {}, {}]>}, %arg4: tensor<f32>, %arg5: tensor<6xf32>, %arg6: tensor<16x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p0, {?}p0]>}, %arg7: tensor<8x5x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}p2, {}]>}, %arg8: tensor<ui8>, %arg9: tensor<6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0]>}, %arg10: tensor<16x3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p1]>}, %arg11: tensor<8x5x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}p1]>}, %arg12: tensor<ui64>, %arg13: tensor<6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0]>}, %arg14: tensor<16x3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x"}>}, %arg15: tensor<8x5x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<8x5x8xui64>, tensor<8x5x8xui8>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<8x5x8xf32>
    %0 = stablehlo.convert %arg7 : (tensor<8x5x8xf32>) -> tensor<8x5x8xui64>
    %1 = stablehlo.count_leading_zeros %arg11 : tensor<8x5x8xui8>
    return %0, %1 : tensor<8x5x8xui64>, tensor<8x5x8xui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1>, %arg2: tensor<2x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<5x8x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {?}p1, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<12xbf16>, %arg6: tensor<2x4xbf16>, %arg7: tensor<5x8x3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}p2, {}]>}, %arg8: tensor<ui16>, %arg9: tensor<12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<2x4xui16>, %arg11: tensor<5x8x3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, %arg12: tensor<ui8>, %arg13: tensor<12xui8>, %arg14: tensor<2x4xui8>, %arg15: tensor<5x8x3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0, {"x", ?}p1, {}]>}) -> (tensor<5x8x3xui16>, tensor<5x8x3xbf16>) {
    %0 = stablehlo.reverse %arg11, dims = [2] : tensor<5x8x3xui16>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x", ?}p0, {}]> : tensor<5x8x3xui16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<5x8x3xbf16>
    %2 = stablehlo.select %arg3, %arg7, %arg7 : tensor<5x8x3xi1>, tensor<5x8x3xbf16>
    return %1, %2 : tensor<5x8x3xui16>, tensor<5x8x3xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1>, %arg2: tensor<4x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg3: tensor<8x6x6xi1>, %arg4: tensor<f32>, %arg5: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0], replicated={"x"}>}, %arg6: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<8x6x6xf32>, %arg8: tensor<i16>, %arg9: tensor<2xi16>, %arg10: tensor<4x4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p2, {}]>}, %arg11: tensor<8x6x6xi16>, %arg12: tensor<i64>, %arg13: tensor<2xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p0]>}, %arg14: tensor<4x4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<8x6x6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p1, {}, {"x"}p1]>}) -> (tensor<8x6x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", "y", ?}p2]>}, tensor<2xi1>, tensor<i64>) {
    %0 = stablehlo.compare EQ, %arg15, %arg15 : (tensor<8x6x6xi64>, tensor<8x6x6xi64>) -> tensor<8x6x6xi1>
    %1 = stablehlo.minimum %arg1, %arg1 : tensor<2xi1>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.sign %arg12 : tensor<i64>
    return %0, %1, %2 : tensor<8x6x6xi1>, tensor<2xi1>, tensor<i64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}, %arg2: tensor<12x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p1]>}, %arg3: tensor<16x12x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y"}, {}]>}, %arg4: tensor<f64>, %arg5: tensor<8xf64>, %arg6: tensor<12x2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg7: tensor<16x12x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p2, {}, {"y", ?}p2]>}, %arg8: tensor<i64>, %arg9: tensor<8xi64>, %arg10: tensor<12x2xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p0, {}]>}, %arg11: tensor<16x12x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {}, {}]>}, %arg12: tensor<i8>, %arg13: tensor<8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<12x2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p1, {?}p1], replicated={"x"}>}, %arg15: tensor<16x12x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}p1]>}) -> (tensor<8xi1>, tensor<12x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8xi8>) {
    %0 = stablehlo.compare GT, %arg5, %arg5 : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xi1>
    %1 = stablehlo.select %arg2, %arg2, %arg2 : tensor<12x2xi1>, tensor<12x2xi1>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}p1, {}], replicated={"y"}> : tensor<12x2xi1>
    %3 = stablehlo.or %arg13, %arg13 : tensor<8xi8>
    return %0, %2, %3 : tensor<8xi1>, tensor<12x2xi1>, tensor<8xi8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p0, {}]>}, %arg3: tensor<2x5x8xi1>, %arg4: tensor<f64>, %arg5: tensor<2xf64>, %arg6: tensor<8x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg7: tensor<2x5x8xf64>, %arg8: tensor<ui8>, %arg9: tensor<2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg10: tensor<8x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}p2]>}, %arg11: tensor<2x5x8xui8>, %arg12: tensor<i16>, %arg13: tensor<2xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<8x8xi16>, %arg15: tensor<2x5x8xi16>) -> (tensor<i16>, tensor<8x8xf64>, tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.shift_right_arithmetic %arg12, %arg12 : tensor<i16>
    %1 = stablehlo.clamp %arg6, %arg6, %arg6 : tensor<8x8xf64>
    %2 = stablehlo.xor %arg1, %arg1 : tensor<2xi1>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}]> : tensor<2xi1>
    return %0, %1, %3 : tensor<i16>, tensor<8x8xf64>, tensor<2xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1]>}, %arg2: tensor<2x8xi1>, %arg3: tensor<5x8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0, {}, {"x"}p0]>}, %arg4: tensor<f16>, %arg5: tensor<2xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p2]>}, %arg6: tensor<2x8xf16>, %arg7: tensor<5x8x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p0, {}]>}, %arg8: tensor<i8>, %arg9: tensor<2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<2x8xi8>, %arg11: tensor<5x8x8xi8>, %arg12: tensor<ui64>, %arg13: tensor<2xui64>, %arg14: tensor<2x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {"x"}]>}, %arg15: tensor<5x8x8xui64>) -> (tensor<2x8xi1>, tensor<2x8xf16>) {
    %0 = stablehlo.convert %arg10 : (tensor<2x8xi8>) -> tensor<2x8xi1>
    %1 = stablehlo.maximum %arg2, %arg2 : tensor<2x8xi1>
    %2 = stablehlo.negate %arg6 : tensor<2x8xf16>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {"x"}]> : tensor<2x8xf16>
    return %1, %3 : tensor<2x8xi1>, tensor<2x8xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0]>}, %arg2: tensor<5x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<3x2x12xi1>, %arg4: tensor<f16>, %arg5: tensor<12xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<5x16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}p1]>}, %arg7: tensor<3x2x12xf16>, %arg8: tensor<i32>, %arg9: tensor<12xi32>, %arg10: tensor<5x16xi32>, %arg11: tensor<3x2x12xi32>, %arg12: tensor<i8>, %arg13: tensor<12xi8>, %arg14: tensor<5x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg15: tensor<3x2x12xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {}, {"x", ?}]>}) -> (tensor<i1>, tensor<3x2x12xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"x"}p2]>}, tensor<5x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {"x", "y"}]>}) {
    %0 = stablehlo.is_finite %arg4 : (tensor<f16>) -> tensor<i1>
    %1 = stablehlo.clamp %arg15, %arg15, %arg15 : tensor<3x2x12xi8>
    %2 = stablehlo.maximum %arg14, %arg14 : tensor<5x16xi8>
    return %0, %1, %2 : tensor<i1>, tensor<3x2x12xi8>, tensor<5x16xi8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1]>}, %arg2: tensor<5x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<8x8x2xi1>, %arg4: tensor<f64>, %arg5: tensor<6xf64>, %arg6: tensor<5x8xf64>, %arg7: tensor<8x8x2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {}]>}, %arg8: tensor<i32>, %arg9: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<5x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p0]>}, %arg11: tensor<8x8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p2, {"z", ?}, {}]>}, %arg12: tensor<ui64>, %arg13: tensor<6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<5x8xui64>, %arg15: tensor<8x8x2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}p1, {"y"}p1, {}]>}) -> (tensor<8x8x2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, tensor<i1>, tensor<6xi1>) {
    %0 = stablehlo.minimum %arg15, %arg15 : tensor<8x8x2xui64>
    %1 = stablehlo.not %arg0 : tensor<i1>
    %2 = stablehlo.xor %arg1, %arg1 : tensor<6xi1>
    return %0, %1, %2 : tensor<8x8x2xui64>, tensor<i1>, tensor<6xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<2x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<5x12x8xi1>, %arg4: tensor<f16>, %arg5: tensor<8xf16>, %arg6: tensor<2x8xf16>, %arg7: tensor<5x12x8xf16>, %arg8: tensor<i8>, %arg9: tensor<8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<2x8xi8>, %arg11: tensor<5x12x8xi8>, %arg12: tensor<i32>, %arg13: tensor<8xi32>, %arg14: tensor<2x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}p0]>}, %arg15: tensor<5x12x8xi32>) -> (tensor<5x12x8xi8>, tensor<8x5x12xi32>) {
    %c = stablehlo.constant dense<0> : tensor<5x12x8xi8>
    %0 = stablehlo.xor %c, %arg11 : tensor<5x12x8xi8>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}p2, {}, {"x", ?}p0]> : tensor<5x12x8xi8>
    %2 = stablehlo.transpose %arg15, dims = [2, 0, 1] : (tensor<5x12x8xi32>) -> tensor<8x5x12xi32>
    return %1, %2 : tensor<5x12x8xi8>, tensor<8x5x12xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1>, %arg2: tensor<8x12xi1>, %arg3: tensor<12x3x6xi1>, %arg4: tensor<bf16>, %arg5: tensor<2xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<8x12xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {}]>}, %arg7: tensor<12x3x6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg8: tensor<ui16>, %arg9: tensor<2xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<8x12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {?}p1]>}, %arg11: tensor<12x3x6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p0, {?}p2]>}, %arg12: tensor<i16>, %arg13: tensor<2xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg14: tensor<8x12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {"x", ?}p1]>}, %arg15: tensor<12x3x6xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0, {?}p2, {"y"}p2]>}) -> (tensor<2xui16>, tensor<12x3x6xi1>, tensor<12x3x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p2, {}, {}], replicated={"y"}>}) {
    %0 = stablehlo.negate %arg9 : tensor<2xui16>
    %1 = stablehlo.multiply %arg3, %arg3 : tensor<12x3x6xi1>
    %2 = stablehlo.or %1, %1 : tensor<12x3x6xi1>
    return %0, %1, %2 : tensor<2xui16>, tensor<12x3x6xi1>, tensor<12x3x6xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<8x8xi1>, %arg3: tensor<12x5x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p2, {?}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p2]>}, %arg6: tensor<8x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>}, %arg7: tensor<12x5x12xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {}, {}]>}, %arg8: tensor<i16>, %arg9: tensor<8xi16>, %arg10: tensor<8x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {}]>}, %arg11: tensor<12x5x12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {}, {}]>}, %arg12: tensor<ui16>, %arg13: tensor<8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p2]>}, %arg14: tensor<8x8xui16>, %arg15: tensor<12x5x12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}p1], replicated={"x"}>}) -> (tensor<i16>, tensor<12x5x12xbf16>) {
    %0 = stablehlo.convert %arg12 : (tensor<ui16>) -> tensor<i16>
    %1 = stablehlo.not %arg8 : tensor<i16>
    %2 = stablehlo.reverse %arg7, dims = [2] : tensor<12x5x12xbf16>
    return %1, %2 : tensor<i16>, tensor<12x5x12xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1>, %arg2: tensor<5x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}p0]>}, %arg3: tensor<4x8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {"x"}p1, {?}]>}, %arg4: tensor<f32>, %arg5: tensor<5xf32>, %arg6: tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {}]>}, %arg7: tensor<4x8x8xf32>, %arg8: tensor<i64>, %arg9: tensor<5xi64>, %arg10: tensor<5x4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x"}>}, %arg11: tensor<4x8x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p0, {}, {?}p0]>}, %arg12: tensor<i16>, %arg13: tensor<5xi16>, %arg14: tensor<5x4xi16>, %arg15: tensor<4x8x8xi16>) -> (tensor<5x4xi1>, tensor<5xi16>, tensor<5x4xi1>) {
    %0 = stablehlo.or %arg2, %arg2 : tensor<5x4xi1>
    %1 = stablehlo.negate %arg13 : tensor<5xi16>
    %2 = stablehlo.and %0, %0 : tensor<5x4xi1>
    return %0, %1, %2 : tensor<5x4xi1>, tensor<5xi16>, tensor<5x4xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p0]>}, %arg2: tensor<3x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {"x"}p0]>}, %arg3: tensor<8x4x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p2, {?}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p2]>}, %arg6: tensor<3x12xf16>, %arg7: tensor<8x4x4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}p2]>}, %arg8: tensor<ui16>, %arg9: tensor<4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<3x12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}p2]>}, %arg11: tensor<8x4x4xui16>, %arg12: tensor<i64>, %arg13: tensor<4xi64>, %arg14: tensor<3x12xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<8x4x4xi64>) -> (tensor<4xi1>, tensor<8x4x4xi1>) {
    %0 = stablehlo.compare NE, %arg5, %arg5 : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xi1>
    %c = stablehlo.constant dense<true> : tensor<8x4x4xi1>
    %1 = stablehlo.multiply %c, %arg3 : tensor<8x4x4xi1>
    return %0, %1 : tensor<4xi1>, tensor<8x4x4xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1>, %arg2: tensor<8x4xi1>, %arg3: tensor<2x8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<2xbf16>, %arg6: tensor<8x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg7: tensor<2x8x8xbf16>, %arg8: tensor<ui8>, %arg9: tensor<2xui8>, %arg10: tensor<8x4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg11: tensor<2x8x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p0, {?}p2, {}]>}, %arg12: tensor<i8>, %arg13: tensor<2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg14: tensor<8x4xi8>, %arg15: tensor<2x8x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p0, {}, {}]>}) -> (tensor<8x4xbf16>, tensor<2xui8>, tensor<2x8x8xui8>) {
    %0 = stablehlo.minimum %arg6, %arg6 : tensor<8x4xbf16>
    %1 = stablehlo.reverse %arg9, dims = [0] : tensor<2xui8>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<2xui8>
    %3 = stablehlo.not %arg11 : tensor<2x8x8xui8>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"x"}, {}, {?}]> : tensor<2x8x8xui8>
    return %0, %2, %4 : tensor<8x4xbf16>, tensor<2xui8>, tensor<2x8x8xui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1>, %arg2: tensor<5x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p1]>}, %arg3: tensor<4x8x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<3xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0]>}, %arg6: tensor<5x4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}p0]>}, %arg7: tensor<4x8x16xf16>, %arg8: tensor<i64>, %arg9: tensor<3xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<5x4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}p2]>}, %arg11: tensor<4x8x16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y", ?}p1]>}, %arg12: tensor<i16>, %arg13: tensor<3xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<5x4xi16>, %arg15: tensor<4x8x16xi16>) -> (tensor<5x4xi64>, tensor<4x8x16xf16>) {
    %c = stablehlo.constant dense<1> : tensor<5x4xi64>
    %0 = stablehlo.maximum %c, %arg10 : tensor<5x4xi64>
    %1 = stablehlo.negate %arg7 : tensor<4x8x16xf16>
    return %0, %1 : tensor<5x4xi64>, tensor<4x8x16xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<6x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}p0, {}]>}, %arg3: tensor<4x12x16xi1>, %arg4: tensor<bf16>, %arg5: tensor<4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<6x2xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {}]>}, %arg7: tensor<4x12x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "z"}p1, {?}p2]>}, %arg8: tensor<ui32>, %arg9: tensor<4xui32>, %arg10: tensor<6x2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<4x12x16xui32>, %arg12: tensor<ui16>, %arg13: tensor<4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p1]>}, %arg14: tensor<6x2xui16>, %arg15: tensor<4x12x16xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x", ?}p2, {"y", ?}p1, {}]>}) -> (tensor<4x12x16xui32>, tensor<4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0]>}, tensor<4x12x16xbf16>) {
    %0 = stablehlo.or %arg11, %arg11 : tensor<4x12x16xui32>
    %1 = stablehlo.multiply %arg9, %arg9 : tensor<4xui32>
    %2 = stablehlo.select %arg3, %arg7, %arg7 : tensor<4x12x16xi1>, tensor<4x12x16xbf16>
    return %0, %1, %2 : tensor<4x12x16xui32>, tensor<4xui32>, tensor<4x12x16xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}p0]>}, %arg2: tensor<8x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}p0]>}, %arg3: tensor<8x5x8xi1>, %arg4: tensor<bf16>, %arg5: tensor<6xbf16>, %arg6: tensor<8x6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y", "x", ?}p1, {}]>}, %arg7: tensor<8x5x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p1, {}]>}, %arg8: tensor<i8>, %arg9: tensor<6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<8x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p0, {}]>}, %arg11: tensor<8x5x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z"}p1, {}, {"x", ?}p0]>}, %arg12: tensor<ui64>, %arg13: tensor<6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2], replicated={"x"}>}, %arg14: tensor<8x6xui64>, %arg15: tensor<8x5x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z"}p0, {?}, {"x"}p2]>}) -> (tensor<6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}p2]>}, tensor<6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1]>}, tensor<8x5x8xi1>) {
    %0 = stablehlo.floor %arg5 : tensor<6xbf16>
    %1 = stablehlo.shift_left %arg13, %arg13 : tensor<6xui64>
    %2 = stablehlo.or %arg3, %arg3 : tensor<8x5x8xi1>
    return %0, %1, %2 : tensor<6xbf16>, tensor<6xui64>, tensor<8x5x8xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<12x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p0, {?}p1]>}, %arg3: tensor<16x8x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0, {}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<5xbf16>, %arg6: tensor<12x6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<16x8x16xbf16>, %arg8: tensor<ui16>, %arg9: tensor<5xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg10: tensor<12x6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}p0]>}, %arg11: tensor<16x8x16xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg12: tensor<ui32>, %arg13: tensor<5xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<12x6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0, {"x", ?}]>}, %arg15: tensor<16x8x16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}p0, {}]>}) -> (tensor<5xi1>, tensor<16x8x16xui16>) {
    %0 = stablehlo.concatenate %arg1, dim = 0 : (tensor<5xi1>) -> tensor<5xi1>
    %1 = stablehlo.convert %arg11 : tensor<16x8x16xui16>
    %2 = stablehlo.or %1, %arg11 : tensor<16x8x16xui16>
    return %0, %2 : tensor<5xi1>, tensor<16x8x16xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1>, %arg2: tensor<6x5xi1>, %arg3: tensor<6x16x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {}, {}]>}, %arg4: tensor<f32>, %arg5: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg7: tensor<6x16x4xf32>, %arg8: tensor<i32>, %arg9: tensor<5xi32>, %arg10: tensor<6x5xi32>, %arg11: tensor<6x16x4xi32>, %arg12: tensor<ui8>, %arg13: tensor<5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<6x5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p0, {}]>}, %arg15: tensor<6x16x4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {?}p1, {?}]>}) -> tensor<6x5xui8> {
    %c = stablehlo.constant dense<6> : tensor<6x5xui8>
    %0 = stablehlo.and %arg14, %c : tensor<6x5xui8>
    %c_0 = stablehlo.constant dense<1> : tensor<6x5xui8>
    %1 = stablehlo.or %0, %c_0 : tensor<6x5xui8>
    %2 = stablehlo.divide %arg14, %1 : tensor<6x5xui8>
    return %2 : tensor<6x5xui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<6x2xi1>, %arg3: tensor<16x6x12xi1>, %arg4: tensor<f32>, %arg5: tensor<8xf32>, %arg6: tensor<6x2xf32>, %arg7: tensor<16x6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p1, {}]>}, %arg8: tensor<ui8>, %arg9: tensor<8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg10: tensor<6x2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p0, {}]>}, %arg11: tensor<16x6x12xui8>, %arg12: tensor<ui16>, %arg13: tensor<8xui16>, %arg14: tensor<6x2xui16>, %arg15: tensor<16x6x12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x", ?}, {"y"}, {}]>}) -> (tensor<i1>, tensor<f32>, tensor<8xi1>) {
    %0 = stablehlo.maximum %arg0, %arg0 : tensor<i1>
    %1 = stablehlo.minimum %arg4, %arg4 : tensor<f32>
    %2 = stablehlo.and %arg1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xi1>
    return %0, %1, %2 : tensor<i1>, tensor<f32>, tensor<8xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<6x4xi1>, %arg3: tensor<16x4x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}, {}]>}, %arg4: tensor<f64>, %arg5: tensor<8xf64>, %arg6: tensor<6x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}p0]>}, %arg7: tensor<16x4x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", ?}p1]>}, %arg8: tensor<ui64>, %arg9: tensor<8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<6x4xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg11: tensor<16x4x8xui64>, %arg12: tensor<i16>, %arg13: tensor<8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p2]>}, %arg14: tensor<6x4xi16>, %arg15: tensor<16x4x8xi16>) -> (tensor<8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %c = stablehlo.constant dense<6> : tensor<8xi16>
    %0 = stablehlo.and %arg13, %c : tensor<8xi16>
    %c_0 = stablehlo.constant dense<1> : tensor<8xi16>
    %1 = stablehlo.or %0, %c_0 : tensor<8xi16>
    %2 = stablehlo.divide %arg13, %1 : tensor<8xi16>
    return %2 : tensor<8xi16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<2x3xi1>, %arg3: tensor<16x5x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}p0, {}, {"x"}p0]>}, %arg4: tensor<f32>, %arg5: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<2x3xf32>, %arg7: tensor<16x5x8xf32>, %arg8: tensor<ui16>, %arg9: tensor<12xui16>, %arg10: tensor<2x3xui16>, %arg11: tensor<16x5x8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"z", "x", "y"}p0]>}, %arg12: tensor<i32>, %arg13: tensor<12xi32>, %arg14: tensor<2x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg15: tensor<16x5x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}p1, {}, {?}p2]>}) -> (tensor<16x5x8xui16>, tensor<i32>, tensor<1x4x7xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}p0, {}, {}]>}) {
    %0 = stablehlo.concatenate %arg11, dim = 1 : (tensor<16x5x8xui16>) -> tensor<16x5x8xui16>
    %1 = stablehlo.abs %arg12 : tensor<i32>
    %2 = stablehlo.dynamic_slice %arg11, %arg12, %1, %arg12, sizes = [1, 4, 7] : (tensor<16x5x8xui16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x7xui16>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {"x", "y", ?}, {}]> : tensor<1x4x7xui16>
    return %0, %1, %3 : tensor<16x5x8xui16>, tensor<i32>, tensor<1x4x7xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p1]>}, %arg2: tensor<2x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {?}p1]>}, %arg3: tensor<6x8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p1, {"x"}p2, {?}p2]>}, %arg4: tensor<f64>, %arg5: tensor<12xf64>, %arg6: tensor<2x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {?}p0], replicated={"x"}>}, %arg7: tensor<6x8x8xf64>, %arg8: tensor<i8>, %arg9: tensor<12xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<2x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg11: tensor<6x8x8xi8>, %arg12: tensor<i32>, %arg13: tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p2]>}, %arg14: tensor<2x6xi32>, %arg15: tensor<6x8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", "y", ?}p1]>}) -> (tensor<12xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, tensor<12xi8>) {
    %0 = stablehlo.reverse %arg9, dims = [0] : tensor<12xi8>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<i1>) -> tensor<2xi1>
    %c = stablehlo.constant dense<0> : tensor<12xi8>
    %2 = stablehlo.count_leading_zeros %arg9 : tensor<12xi8>
    return %0, %1, %2 : tensor<12xi8>, tensor<2xi1>, tensor<12xi8>
  }
}
