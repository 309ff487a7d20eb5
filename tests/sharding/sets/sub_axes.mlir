module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2}], replicated={"x":(2)2}>}) -> (tensor<16xi32> {jax.result_info = "result"}) {
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
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2}], replicated={"x":(2)2}>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}
// -----
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2}], replicated={"x":(2)2}>}, %arg1: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg1 : (tensor<1xf32>) -> tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare GT, %0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
      %5 = stablehlo.multiply %arg0, %4 : tensor<16x8xf32>
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
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2}], replicated={"x":(2)2}>}) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
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
module attributes {mhlo.num_partitions = 32 : i32} {
  sdy.mesh @mesh = <["x"=8, "y"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg2: tensor<5x6xi1>, %arg3: tensor<8x16x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg4: tensor<f64>, %arg5: tensor<16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<5x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg7: tensor<8x16x5xf64>, %arg8: tensor<i64>, %arg9: tensor<16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}]>}, %arg10: tensor<5x6xi64>, %arg11: tensor<8x16x5xi64>, %arg12: tensor<i32>, %arg13: tensor<16xi32>, %arg14: tensor<5x6xi32>, %arg15: tensor<8x16x5xi32>) -> (tensor<5x6xi1>, tensor<i32>, tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, "x", ?}], replicated={"y":(2)2}>}) {
    %0 = stablehlo.or %arg2, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y":(2)2}]>]>} : tensor<5x6xi1>
    %1 = stablehlo.and %arg12, %arg12 : tensor<i32>
    %2 = stablehlo.select %arg1, %arg13, %arg13 : tensor<16xi1>, tensor<16xi32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}]> : tensor<16xi32>
    return %0, %1, %3 : tensor<5x6xi1>, tensor<i32>, tensor<16xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 32 : i32} {
  sdy.mesh @mesh = <["x"=8, "y"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}]>}, %arg2: tensor<16x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}, {"y"}]>}, %arg3: tensor<8x3x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg4: tensor<f64>, %arg5: tensor<16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2, "y":(1)2}], replicated={"x"}>}, %arg6: tensor<16x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2, "y":(2)2, ?}]>}, %arg7: tensor<8x3x2xf64>, %arg8: tensor<i32>, %arg9: tensor<16xi32>, %arg10: tensor<16x8xi32>, %arg11: tensor<8x3x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {}, {"y":(1)2, ?}]>}, %arg12: tensor<i16>, %arg13: tensor<16xi16>, %arg14: tensor<16x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg15: tensor<8x3x2xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4, ?}, {}, {"y":(2)2}]>}) -> (tensor<16xf64>, tensor<8x16x1xi1>, tensor<i1>) {
    %0 = stablehlo.ceil %arg5 : tensor<16xf64>
    %1 = stablehlo.reshape %arg2 : (tensor<16x8xi1>) -> tensor<8x16x1xi1>
    %2 = stablehlo.compare GE, %arg4, %arg4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
    return %0, %1, %2 : tensor<16xf64>, tensor<8x16x1xi1>, tensor<i1>
  }
}
// -----
module attributes {mhlo.num_partitions = 32 : i32} {
  sdy.mesh @mesh = <["x"=8, "y"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<16x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}]>}, %arg3: tensor<4x12x5xi1>, %arg4: tensor<bf16>, %arg5: tensor<8xbf16>, %arg6: tensor<16x8xbf16>, %arg7: tensor<4x12x5xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {}, {}]>}, %arg8: tensor<ui8>, %arg9: tensor<8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4, "x":(1)2, ?}]>}, %arg10: tensor<16x8xui8>, %arg11: tensor<4x12x5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}, {"x":(1)2, ?}, {}], replicated={"y"}>}, %arg12: tensor<i16>, %arg13: tensor<8xi16>, %arg14: tensor<16x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {"y":(1)2}]>}, %arg15: tensor<4x12x5xi16>) -> (tensor<8xi16>, tensor<i16>, tensor<16x8xi16>) {
    %0 = stablehlo.negate %arg13 : tensor<8xi16>
    %1 = stablehlo.or %arg12, %arg12 : tensor<i16>
    %2 = stablehlo.count_leading_zeros %arg14 : tensor<16x8xi16>
    return %0, %1, %2 : tensor<8xi16>, tensor<i16>, tensor<16x8xi16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1>, %arg2: tensor<6x2xi1>, %arg3: tensor<3x8x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg4: tensor<f32>, %arg5: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg7: tensor<3x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, %arg8: tensor<i32>, %arg9: tensor<3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}, {"y"}], replicated={"x":(2)2}>}, %arg11: tensor<3x8x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x":(1)2, ?}, {"y"}]>}, %arg12: tensor<i16>, %arg13: tensor<3xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<6x2xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg15: tensor<3x8x6xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"y"}]>}) -> (tensor<6x2xi32>, tensor<3xi32>, tensor<i32>) {
    %0 = stablehlo.or %arg10, %arg10 : tensor<6x2xi32>
    %1 = stablehlo.minimum %arg9, %arg9 : tensor<3xi32>
    %2 = stablehlo.negate %arg8 : tensor<i32>
    return %0, %1, %2 : tensor<6x2xi32>, tensor<3xi32>, tensor<i32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<3x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg3: tensor<16x3x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<2xbf16>, %arg6: tensor<3x8xbf16>, %arg7: tensor<16x3x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}]>}, %arg8: tensor<ui32>, %arg9: tensor<2xui32>, %arg10: tensor<3x8xui32>, %arg11: tensor<16x3x16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}, {"x":(2)2, ?}]>}, %arg12: tensor<ui64>, %arg13: tensor<2xui64>, %arg14: tensor<3x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<16x3x16xui64>) -> (tensor<2xui32>, tensor<2xui64>) {
    %0 = stablehlo.minimum %arg9, %arg9 : tensor<2xui32>
    %c = stablehlo.constant dense<6> : tensor<2xui64>
    %1 = stablehlo.and %arg13, %c : tensor<2xui64>
    %c_0 = stablehlo.constant dense<1> : tensor<2xui64>
    %2 = stablehlo.or %1, %c_0 : tensor<2xui64>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}]> : tensor<2xui64>
    %4 = stablehlo.divide %arg13, %3 : tensor<2xui64>
    return %0, %4 : tensor<2xui32>, tensor<2xui64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg2: tensor<4x6xi1>, %arg3: tensor<16x5x5xi1>, %arg4: tensor<f16>, %arg5: tensor<6xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<4x6xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, "x":(1)2}, {}]>}, %arg7: tensor<16x5x5xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg8: tensor<i32>, %arg9: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg10: tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x":(2)2}]>}, %arg11: tensor<16x5x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, %arg12: tensor<ui8>, %arg13: tensor<6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<4x6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], replicated={"x":(1)2}>}, %arg15: tensor<16x5x5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}]>}) -> (tensor<16x5x5xi1>, tensor<6xf16>, tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}], replicated={"x":(2)2}>}) {
    %0 = stablehlo.minimum %arg3, %arg3 : tensor<16x5x5xi1>
    %1 = stablehlo.transpose %arg5, dims = [0] : (tensor<6xf16>) -> tensor<6xf16>
    %2 = stablehlo.popcnt %arg9 : tensor<6xi32>
    return %0, %1, %2 : tensor<16x5x5xi1>, tensor<6xf16>, tensor<6xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}]>}, %arg2: tensor<3x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<2x6x5xi1>, %arg4: tensor<f16>, %arg5: tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x":(1)2}>}, %arg6: tensor<3x16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg7: tensor<2x6x5xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {?}, {?}]>}, %arg8: tensor<ui32>, %arg9: tensor<4xui32>, %arg10: tensor<3x16xui32>, %arg11: tensor<2x6x5xui32>, %arg12: tensor<i16>, %arg13: tensor<4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<3x16xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg15: tensor<2x6x5xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (tensor<3x16xi1>, tensor<3x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(2)4, "x":(1)2}]>}) {
    %0 = stablehlo.convert %arg6 : (tensor<3x16xf16>) -> tensor<3x16xi1>
    %1 = stablehlo.compare LE, %0, %arg2 : (tensor<3x16xi1>, tensor<3x16xi1>) -> tensor<3x16xi1>
    %2 = stablehlo.not %arg2 : tensor<3x16xi1>
    return %1, %2 : tensor<3x16xi1>, tensor<3x16xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1>, %arg2: tensor<2x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x":(2)4, "x":(1)2}]>}, %arg3: tensor<6x5x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, %arg4: tensor<f16>, %arg5: tensor<6xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<2x16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], replicated={"x"}>}, %arg7: tensor<6x5x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg8: tensor<ui64>, %arg9: tensor<6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x":(1)2}>}, %arg10: tensor<2x16xui64>, %arg11: tensor<6x5x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<i8>, %arg13: tensor<6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<2x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)4, ?}]>}, %arg15: tensor<6x5x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {?}]>}) -> (tensor<6x5x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}, {}]>}, tensor<2x16xui64>, tensor<6x5x8xui64>) {
    %0 = stablehlo.subtract %arg15, %arg15 : tensor<6x5x8xi8>
    %1 = stablehlo.add %arg10, %arg10 : tensor<2x16xui64>
    %2 = sdy.sharding_constraint %1 <@mesh, [{?}, {"x", ?}]> : tensor<2x16xui64>
    %3 = stablehlo.negate %arg11 : tensor<6x5x8xui64>
    return %0, %2, %3 : tensor<6x5x8xi8>, tensor<2x16xui64>, tensor<6x5x8xui64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<12x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x":(2)2}]>}, %arg3: tensor<5x8x6xi1>, %arg4: tensor<f64>, %arg5: tensor<3xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<12x8xf64>, %arg7: tensor<5x8x6xf64>, %arg8: tensor<ui64>, %arg9: tensor<3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<12x8xui64>, %arg11: tensor<5x8x6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}]>}, %arg12: tensor<ui32>, %arg13: tensor<3xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<12x8xui32>, %arg15: tensor<5x8x6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (tensor<3xui32>, tensor<5x8x6xui32>, tensor<ui32>) {
    %0 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], replicated={"x":(2)2}>]>} : tensor<3xui32>
    %1 = stablehlo.concatenate %arg15, dim = 2 : (tensor<5x8x6xui32>) -> tensor<5x8x6xui32>
    %2 = stablehlo.shift_right_arithmetic %arg12, %arg12 : tensor<ui32>
    return %0, %1, %2 : tensor<3xui32>, tensor<5x8x6xui32>, tensor<ui32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<2x16xi1>, %arg3: tensor<3x4x16xi1>, %arg4: tensor<f64>, %arg5: tensor<8xf64>, %arg6: tensor<2x16xf64>, %arg7: tensor<3x4x16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg8: tensor<i64>, %arg9: tensor<8xi64>, %arg10: tensor<2x16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2}, {}]>}, %arg11: tensor<3x4x16xi64>, %arg12: tensor<ui16>, %arg13: tensor<8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}]>}, %arg14: tensor<2x16xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x":(1)2, "y"}]>}, %arg15: tensor<3x4x16xui16>) -> (tensor<3x4x16xf64>, tensor<2x16xi64>) {
    %0 = stablehlo.maximum %arg7, %arg7 : tensor<3x4x16xf64>
    %1 = stablehlo.convert %arg6 : (tensor<2x16xf64>) -> tensor<2x16xi64>
    %2 = stablehlo.xor %1, %arg10 : tensor<2x16xi64>
    return %0, %2 : tensor<3x4x16xf64>, tensor<2x16xi64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<8x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2}], replicated={"x":(2)4}>}, %arg3: tensor<8x12x12xi1>, %arg4: tensor<bf16>, %arg5: tensor<4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}], replicated={"x":(2)4}>}, %arg6: tensor<8x6xbf16>, %arg7: tensor<8x12x12xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}, {}]>}, %arg8: tensor<i8>, %arg9: tensor<4xi8>, %arg10: tensor<8x6xi8>, %arg11: tensor<8x12x12xi8>, %arg12: tensor<ui32>, %arg13: tensor<4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<8x6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4, "x":(1)2}, {?}]>}, %arg15: tensor<8x12x12xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<8x12x12xi1>, tensor<ui32>) {
    %0 = stablehlo.convert %arg3 : (tensor<8x12x12xi1>) -> tensor<8x12x12xbf16>
    %1 = stablehlo.is_finite %arg7 : (tensor<8x12x12xbf16>) -> tensor<8x12x12xi1>
    %2 = stablehlo.not %arg12 : tensor<ui32>
    return %1, %2 : tensor<8x12x12xi1>, tensor<ui32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1>, %arg2: tensor<16x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg3: tensor<12x8x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x":(2)4}, {"x":(1)2}]>}, %arg4: tensor<f32>, %arg5: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2}]>}, %arg7: tensor<12x8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(2)4}, {"x":(1)2}]>}, %arg8: tensor<i64>, %arg9: tensor<5xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<16x4xi64>, %arg11: tensor<12x8x12xi64>, %arg12: tensor<i32>, %arg13: tensor<5xi32>, %arg14: tensor<16x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, %arg15: tensor<12x8x12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {}]>}) -> (tensor<12x8x12xi1>, tensor<12x8x12xi1>) {
    %0 = stablehlo.convert %arg3 : tensor<12x8x12xi1>
    %1 = stablehlo.maximum %arg3, %arg3 : tensor<12x8x12xi1>
    %2 = stablehlo.compare EQ, %arg7, %arg7 : (tensor<12x8x12xf32>, tensor<12x8x12xf32>) -> tensor<12x8x12xi1>
    return %1, %2 : tensor<12x8x12xi1>, tensor<12x8x12xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<6x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<8x8x8xi1>, %arg4: tensor<f16>, %arg5: tensor<3xf16>, %arg6: tensor<6x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg7: tensor<8x8x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, "x":(1)2}, {"y"}, {?}]>}, %arg8: tensor<ui32>, %arg9: tensor<3xui32>, %arg10: tensor<6x8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<8x8x8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {?}]>}, %arg12: tensor<i32>, %arg13: tensor<3xi32>, %arg14: tensor<6x8xi32>, %arg15: tensor<8x8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x"}]>}) -> (tensor<3xi32>, tensor<3xf16>) {
    %0 = stablehlo.convert %arg5 : (tensor<3xf16>) -> tensor<3xi32>
    %1 = stablehlo.multiply %arg13, %arg13 : tensor<3xi32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<3xi32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<3xf16>
    %3 = stablehlo.abs %arg5 : tensor<3xf16>
    return %2, %3 : tensor<3xi32>, tensor<3xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1>, %arg2: tensor<6x4xi1>, %arg3: tensor<4x4x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"y"}]>}, %arg4: tensor<f64>, %arg5: tensor<16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg6: tensor<6x4xf64>, %arg7: tensor<4x4x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}, {"y", ?}]>}, %arg8: tensor<ui32>, %arg9: tensor<16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<6x4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}, %arg11: tensor<4x4x6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}, %arg12: tensor<ui16>, %arg13: tensor<16xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, "x":(1)2, "y"}]>}, %arg14: tensor<6x4xui16>, %arg15: tensor<4x4x6xui16>) -> (tensor<16xui16>, tensor<6x4xui32>, tensor<1x1x1xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}], replicated={"y"}>}) {
    %0 = stablehlo.negate %arg13 : tensor<16xui16>
    %1 = stablehlo.convert %arg2 : (tensor<6x4xi1>) -> tensor<6x4xui32>
    %2 = stablehlo.slice %arg3 [3:4:2, 3:4:2, 5:6:2] : (tensor<4x4x6xi1>) -> tensor<1x1x1xi1>
    return %0, %1, %2 : tensor<16xui16>, tensor<6x4xui32>, tensor<1x1x1xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 32 : i32} {
  sdy.mesh @mesh = <["x"=8, "y"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1>, %arg2: tensor<8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}, {"y"}], replicated={"x":(1)2}>}, %arg3: tensor<5x2x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y":(1)2, ?}, {}], replicated={"y":(2)2}>}, %arg4: tensor<f16>, %arg5: tensor<5xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<8x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}, {?}]>}, %arg7: tensor<5x2x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}], replicated={"y":(1)2}>}, %arg8: tensor<ui64>, %arg9: tensor<5xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<8x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"x"}], replicated={"y":(2)2}>}, %arg11: tensor<5x2x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", ?}]>}, %arg12: tensor<i64>, %arg13: tensor<5xi64>, %arg14: tensor<8x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], replicated={"y"}>}, %arg15: tensor<5x2x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}) -> tensor<5x2x8xi64> {
    %c = stablehlo.constant dense<6> : tensor<5x2x8xi64>
    %0 = stablehlo.and %arg15, %c : tensor<5x2x8xi64>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}, {"x":(1)2, "y":(1)2}]> : tensor<5x2x8xi64>
    %c_0 = stablehlo.constant dense<1> : tensor<5x2x8xi64>
    %2 = stablehlo.or %1, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {}, {}]>]>} : tensor<5x2x8xi64>
    %3 = stablehlo.divide %arg15, %2 : tensor<5x2x8xi64>
    return %3 : tensor<5x2x8xi64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<8x2xi1>, %arg3: tensor<8x5x8xi1>, %arg4: tensor<f64>, %arg5: tensor<8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<8x2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<8x5x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], replicated={"x":(2)2}>}, %arg8: tensor<i8>, %arg9: tensor<8xi8>, %arg10: tensor<8x2xi8>, %arg11: tensor<8x5x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg12: tensor<ui16>, %arg13: tensor<8xui16>, %arg14: tensor<8x2xui16>, %arg15: tensor<8x5x8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x":(1)2}]>}) -> (tensor<i1>, tensor<8x2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, "y", "x":(2)2}, {}]>}, tensor<i8>) {
    %0 = stablehlo.compare GT, %arg4, %arg4 : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %1 = stablehlo.or %arg10, %arg10 : tensor<8x2xi8>
    %2 = stablehlo.convert %arg12 : (tensor<ui16>) -> tensor<i8>
    return %0, %1, %2 : tensor<i1>, tensor<8x2xi8>, tensor<i8>
  }
}
// -----
module attributes {mhlo.num_partitions = 32 : i32} {
  sdy.mesh @mesh = <["x"=8, "y"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<2x12xi1>, %arg3: tensor<6x8x5xi1>, %arg4: tensor<f16>, %arg5: tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}]>}, %arg6: tensor<2x12xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<6x8x5xf16>, %arg8: tensor<ui16>, %arg9: tensor<4xui16>, %arg10: tensor<2x12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(2)4}]>}, %arg11: tensor<6x8x5xui16>, %arg12: tensor<i32>, %arg13: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<2x12xi32>, %arg15: tensor<6x8x5xi32>) -> (tensor<4xui16>, tensor<6xui16>, tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2, ?}]>}) {
    %0 = stablehlo.shift_right_arithmetic %arg9, %arg9 : tensor<4xui16>
    %1 = stablehlo.pad %0, %arg8, low = [1], high = [1], interior = [0] : (tensor<4xui16>, tensor<ui16>) -> tensor<6xui16>
    %2 = stablehlo.count_leading_zeros %arg13 : tensor<4xi32>
    return %0, %1, %2 : tensor<4xui16>, tensor<6xui16>, tensor<4xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<3x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, %arg3: tensor<6x2x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, ?}, {?}, {?}]>}, %arg4: tensor<f64>, %arg5: tensor<5xf64>, %arg6: tensor<3x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg7: tensor<6x2x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}, {}]>}, %arg8: tensor<ui16>, %arg9: tensor<5xui16>, %arg10: tensor<3x6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x":(2)2}]>}, %arg11: tensor<6x2x4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"x":(2)2}], replicated={"x":(1)2}>}, %arg12: tensor<ui64>, %arg13: tensor<5xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<3x6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], replicated={"x"}>}, %arg15: tensor<6x2x4xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"y"}, {"x":(2)2}]>}) -> (tensor<6x2x4xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}, {}]>}, tensor<5xui64>, tensor<ui16>) {
    %0 = stablehlo.convert %arg7 : (tensor<6x2x4xf64>) -> tensor<6x2x4xui64>
    %1 = stablehlo.subtract %arg15, %arg15 : tensor<6x2x4xui64>
    %2:2 = stablehlo.optimization_barrier %arg13, %arg8 : tensor<5xui64>, tensor<ui16>
    return %1, %2#0, %2#1 : tensor<6x2x4xui64>, tensor<5xui64>, tensor<ui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, "y", ?}]>}, %arg2: tensor<16x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}], replicated={"x":(2)2}>}, %arg3: tensor<8x12x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(2)2}, {}, {"x":(1)2}]>}, %arg4: tensor<f64>, %arg5: tensor<8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"y"}>}, %arg6: tensor<16x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(2)2, ?}]>}, %arg7: tensor<8x12x16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}, {}, {}]>}, %arg8: tensor<i32>, %arg9: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg10: tensor<16x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg11: tensor<8x12x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x":(2)2, "x":(1)2}, {?}]>}, %arg12: tensor<i64>, %arg13: tensor<8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg14: tensor<16x6xi64>, %arg15: tensor<8x12x16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y", ?}]>}) -> (tensor<8x12x16xi1>, tensor<8x12x16xi32>) {
    %0 = stablehlo.convert %arg7 : (tensor<8x12x16xf64>) -> tensor<8x12x16xi1>
    %1 = stablehlo.maximum %arg3, %arg3 : tensor<8x12x16xi1>
    %2 = stablehlo.not %arg11 : tensor<8x12x16xi32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}, {}]> : tensor<8x12x16xi32>
    return %1, %3 : tensor<8x12x16xi1>, tensor<8x12x16xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 32 : i32} {
  sdy.mesh @mesh = <["x"=8, "y"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1>, %arg2: tensor<6x4xi1>, %arg3: tensor<8x5x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {}, {"x":(1)2}]>}, %arg4: tensor<f16>, %arg5: tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2, "y":(1)2, ?}]>}, %arg6: tensor<6x4xf16>, %arg7: tensor<8x5x6xf16>, %arg8: tensor<ui16>, %arg9: tensor<4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}]>}, %arg10: tensor<6x4xui16>, %arg11: tensor<8x5x6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}, {}]>}, %arg12: tensor<i32>, %arg13: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}, %arg14: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg15: tensor<8x5x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {?}]>}) -> (tensor<4xui16>, tensor<8x5x6xui16>) {
    %0 = stablehlo.convert %arg1 : (tensor<4xi1>) -> tensor<4xui16>
    %1 = stablehlo.or %0, %arg9 : tensor<4xui16>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x", ?}]> : tensor<4xui16>
    %3 = stablehlo.count_leading_zeros %arg11 : tensor<8x5x6xui16>
    return %2, %3 : tensor<4xui16>, tensor<8x5x6xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4, "x":(1)2, ?}]>}, %arg2: tensor<3x8xi1>, %arg3: tensor<4x3x2xi1>, %arg4: tensor<f16>, %arg5: tensor<16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg6: tensor<3x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<4x3x2xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4, ?}, {?}, {"x":(1)2}]>}, %arg8: tensor<i32>, %arg9: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg10: tensor<3x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg11: tensor<4x3x2xi32>, %arg12: tensor<i64>, %arg13: tensor<16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}]>}, %arg14: tensor<3x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x":(1)2}>}, %arg15: tensor<4x3x2xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], replicated={"x"}>}) -> (tensor<3x8xf16>, tensor<16xi1>) {
    %cst = stablehlo.constant dense<4.000000e+00> : tensor<3x8xf16>
    %0 = stablehlo.negate %arg6 : tensor<3x8xf16>
    %1 = stablehlo.select %arg1, %arg1, %arg1 : tensor<16xi1>, tensor<16xi1>
    return %0, %1 : tensor<3x8xf16>, tensor<16xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<3x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg3: tensor<8x4x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, ?}, {}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<5xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<3x3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, %arg7: tensor<8x4x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x", ?}, {}]>}, %arg8: tensor<ui64>, %arg9: tensor<5xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<3x3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"x"}>}, %arg11: tensor<8x4x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2}, {}]>}, %arg12: tensor<i32>, %arg13: tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x":(2)2}>}, %arg14: tensor<3x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<8x4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, "y", ?}, {}, {}], replicated={"x":(1)2}>}) -> (tensor<8x4x8xbf16>, tensor<i32>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<8x4x8xbf16>
    %0 = stablehlo.round_nearest_even %arg7 : tensor<8x4x8xbf16>
    %1 = stablehlo.select %arg0, %arg12, %arg12 : tensor<i1>, tensor<i32>
    return %0, %1 : tensor<8x4x8xbf16>, tensor<i32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<12x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg3: tensor<8x8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}, {"x":(2)2, "y", ?}]>}, %arg4: tensor<bf16>, %arg5: tensor<16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<12x3xbf16>, %arg7: tensor<8x8x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}], replicated={"x":(1)2}>}, %arg8: tensor<i8>, %arg9: tensor<16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<12x3xi8>, %arg11: tensor<8x8x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, "y", "x":(1)2}, {}, {?}]>}, %arg12: tensor<i64>, %arg13: tensor<16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<12x3xi64>, %arg15: tensor<8x8x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}, {"y"}]>}) -> (tensor<16xi1>, tensor<i8>) {
    %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(2)2, "y"}]>]>} dense<false> : tensor<16xi1>
    %0 = stablehlo.multiply %c, %arg1 : tensor<16xi1>
    %1 = stablehlo.subtract %arg8, %arg8 : tensor<i8>
    return %0, %1 : tensor<16xi1>, tensor<i8>
  }
}
// -----
module attributes {mhlo.num_partitions = 32 : i32} {
  sdy.mesh @mesh = <["x"=8, "y"=4]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {?}]>}, %arg3: tensor<6x8x16xi1>, %arg4: tensor<bf16>, %arg5: tensor<8xbf16>, %arg6: tensor<8x12xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}, %arg7: tensor<6x8x16xbf16>, %arg8: tensor<ui32>, %arg9: tensor<8xui32>, %arg10: tensor<8x12xui32>, %arg11: tensor<6x8x16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"x"}], replicated={"y"}>}, %arg12: tensor<i16>, %arg13: tensor<8xi16>, %arg14: tensor<8x12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(2)2}, {?}]>}, %arg15: tensor<6x8x16xi16>) -> tensor<8x12xbf16> {
    %0 = stablehlo.multiply %arg6, %arg6 : tensor<8x12xbf16>
    %cst = stablehlo.constant dense<-6.400000e+01> : tensor<bf16>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<bf16>
    %1 = stablehlo.clamp %cst, %0, %cst_0 : (tensor<bf16>, tensor<8x12xbf16>, tensor<bf16>) -> tensor<8x12xbf16>
    return %1 : tensor<8x12xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2}]>}, %arg2: tensor<16x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x":(1)2}>}, %arg3: tensor<2x8x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"x", ?}]>}, %arg4: tensor<f16>, %arg5: tensor<8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<16x5xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {?}]>}, %arg7: tensor<2x8x12xf16>, %arg8: tensor<ui16>, %arg9: tensor<8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg10: tensor<16x5xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}]>}, %arg11: tensor<2x8x12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)2}, {"y"}]>}, %arg12: tensor<i64>, %arg13: tensor<8xi64>, %arg14: tensor<16x5xi64>, %arg15: tensor<2x8x12xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(2)2}, {?}]>}) -> (tensor<5x3xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], replicated={"x"}>}, tensor<16x5xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}]>}) {
    %c = stablehlo.constant dense<0> : tensor<16x3xi64>
    %0 = stablehlo.dot_general %arg14, %c, contracting_dims = [0] x [0] : (tensor<16x5xi64>, tensor<16x3xi64>) -> tensor<5x3xi64>
    %1 = stablehlo.round_nearest_afz %arg6 : tensor<16x5xf16>
    return %0, %1 : tensor<5x3xi64>, tensor<16x5xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<2x16xi1>, %arg3: tensor<3x3x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x":(2)2}]>}, %arg4: tensor<f64>, %arg5: tensor<5xf64>, %arg6: tensor<2x16xf64>, %arg7: tensor<3x3x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"x":(1)2, "y"}]>}, %arg8: tensor<ui64>, %arg9: tensor<5xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg10: tensor<2x16xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}, %arg11: tensor<3x3x4xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], replicated={"x":(1)2}>}, %arg12: tensor<ui32>, %arg13: tensor<5xui32>, %arg14: tensor<2x16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, %arg15: tensor<3x3x4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {?}]>}) -> (tensor<3x3x4xi1>, tensor<1xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"y"}>}) {
    %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {}, {}]>]>} dense<true> : tensor<3x3x4xi1>
    %0 = stablehlo.multiply %c, %arg3 : tensor<3x3x4xi1>
    %1 = stablehlo.reshape %arg12 : (tensor<ui32>) -> tensor<1xui32>
    return %0, %1 : tensor<3x3x4xi1>, tensor<1xui32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<8x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}, %arg3: tensor<8x4x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x":(2)2}]>}, %arg4: tensor<f64>, %arg5: tensor<8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg6: tensor<8x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2, ?}, {"x":(2)2, ?}]>}, %arg7: tensor<8x4x6xf64>, %arg8: tensor<i8>, %arg9: tensor<8xi8>, %arg10: tensor<8x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg11: tensor<8x4x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2, ?}, {"y"}, {"x":(1)2, ?}]>}, %arg12: tensor<ui64>, %arg13: tensor<8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<8x6xui64>, %arg15: tensor<8x4x6xui64>) -> (tensor<8x6xi1>, tensor<8x6xi1>, tensor<8x4x6xf64>) {
    %0 = stablehlo.and %arg2, %arg2 : tensor<8x6xi1>
    %1 = stablehlo.xor %0, %arg2 : tensor<8x6xi1>
    %2 = stablehlo.multiply %arg7, %arg7 : tensor<8x4x6xf64>
    %cst = stablehlo.constant dense<-6.400000e+01> : tensor<f64>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f64>
    %3 = stablehlo.clamp %cst, %2, %cst_0 : (tensor<f64>, tensor<8x4x6xf64>, tensor<f64>) -> tensor<8x4x6xf64>
    return %0, %1, %3 : tensor<8x6xi1>, tensor<8x6xi1>, tensor<8x4x6xf64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<16x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}, {"x":(1)2}]>}, %arg3: tensor<4x8x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)4}, {}]>}, %arg4: tensor<f32>, %arg5: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<16x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<4x8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)4}, {"x":(1)2, ?}, {?}]>}, %arg8: tensor<i64>, %arg9: tensor<3xi64>, %arg10: tensor<16x2xi64>, %arg11: tensor<4x8x3xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], replicated={"x"}>}, %arg12: tensor<ui64>, %arg13: tensor<3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<16x2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %arg15: tensor<4x8x3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {"x":(2)4}, {}]>}) -> (tensor<1x3x1xi1>, tensor<ui64>) {
    %0 = stablehlo.slice %arg3 [2:4:2, 3:8:2, 1:3:2] : (tensor<4x8x3xi1>) -> tensor<1x3x1xi1>
    %c = stablehlo.constant dense<2> : tensor<ui64>
    %1 = stablehlo.count_leading_zeros %arg12 : tensor<ui64>
    return %0, %1 : tensor<1x3x1xi1>, tensor<ui64>
  }
}
