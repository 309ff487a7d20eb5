module @jit__lambda attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}) -> (tensor<16xi32> {jax.result_info = "result"}) {
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
module @jit__lambda attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}
// -----
module @jit__lambda attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}, %arg1: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
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
      %6 = sdy.sharding_constraint %5 <@mesh, [{?}, {"y"}]> : tensor<16x16xf32>
      stablehlo.return %6 : tensor<16x16xf32>
    }) : (tensor<i32>) -> tensor<16x16xf32>
    return %3 : tensor<16x16xf32>
  }
}
// -----
module @jit__lambda attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
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
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<2x3xi1>, %arg3: tensor<12x5x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {?}]>}, %arg4: tensor<f16>, %arg5: tensor<3xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<2x3xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg7: tensor<12x5x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}, {}], replicated={"y"}>}, %arg8: tensor<ui8>, %arg9: tensor<3xui8>, %arg10: tensor<2x3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg11: tensor<12x5x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}, {?}]>}, %arg12: tensor<i64>, %arg13: tensor<3xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<2x3xi64>, %arg15: tensor<12x5x8xi64>) -> (tensor<3xi1>, tensor<3xi1>) {
    %0 = stablehlo.minimum %arg1, %arg1 : tensor<3xi1>
    %c = stablehlo.constant dense<true> : tensor<3xi1>
    %1 = stablehlo.convert %0 : tensor<3xi1>
    %2 = stablehlo.multiply %c, %arg1 : tensor<3xi1>
    return %0, %2 : tensor<3xi1>, tensor<3xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<5x8xi1>, %arg3: tensor<5x8x8xi1>, %arg4: tensor<f16>, %arg5: tensor<16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}]>}, %arg6: tensor<5x8xf16>, %arg7: tensor<5x8x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}], replicated={"y"}>}, %arg8: tensor<ui64>, %arg9: tensor<16xui64>, %arg10: tensor<5x8xui64>, %arg11: tensor<5x8x8xui64>, %arg12: tensor<ui32>, %arg13: tensor<16xui32>, %arg14: tensor<5x8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %arg15: tensor<5x8x8xui32>) -> (tensor<i1>, tensor<5x8xf16>, tensor<16xf16>) {
    %0 = stablehlo.minimum %arg0, %arg0 : tensor<i1>
    %1 = stablehlo.maximum %arg6, %arg6 : tensor<5x8xf16>
    %2 = stablehlo.abs %arg5 : tensor<16xf16>
    return %0, %1, %2 : tensor<i1>, tensor<5x8xf16>, tensor<16xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1>, %arg2: tensor<2x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg3: tensor<3x3x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<2x6xf16>, %arg7: tensor<3x3x3xf16>, %arg8: tensor<i32>, %arg9: tensor<16xi32>, %arg10: tensor<2x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg11: tensor<3x3x3xi32>, %arg12: tensor<i16>, %arg13: tensor<16xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg14: tensor<2x6xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg15: tensor<3x3x3xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {?}]>}) -> (tensor<3x3x3xi1>, tensor<3x3x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}, {}]>}) {
    %0 = stablehlo.convert %arg3 : tensor<3x3x3xi1>
    %1 = stablehlo.not %arg3 : tensor<3x3x3xi1>
    %2 = stablehlo.convert %arg15 : (tensor<3x3x3xi16>) -> tensor<3x3x3xi1>
    %3 = stablehlo.select %2, %arg3, %arg3 : tensor<3x3x3xi1>, tensor<3x3x3xi1>
    return %1, %3 : tensor<3x3x3xi1>, tensor<3x3x3xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<6x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg3: tensor<4x8x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}, {"x", ?}]>}, %arg4: tensor<f32>, %arg5: tensor<4xf32>, %arg6: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<4x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {?}]>}, %arg8: tensor<i8>, %arg9: tensor<4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg10: tensor<6x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<4x8x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, %arg12: tensor<ui8>, %arg13: tensor<4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<6x6xui8>, %arg15: tensor<4x8x6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {?}]>}) -> (tensor<3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, tensor<6x6xi1>) {
    %c = stablehlo.constant dense<4> : tensor<4x3xui8>
    %0 = stablehlo.dot_general %arg13, %c, contracting_dims = [0] x [0] : (tensor<4xui8>, tensor<4x3xui8>) -> tensor<3xui8>
    %1 = stablehlo.compare GT, %arg2, %arg2 : (tensor<6x6xi1>, tensor<6x6xi1>) -> tensor<6x6xi1>
    return %0, %1 : tensor<3xui8>, tensor<6x6xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<3x6xi1>, %arg3: tensor<5x16x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {"y", "x"}]>}, %arg4: tensor<f64>, %arg5: tensor<2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], replicated={"x"}>}, %arg6: tensor<3x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg7: tensor<5x16x16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg8: tensor<i8>, %arg9: tensor<2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<3x6xi8>, %arg11: tensor<5x16x16xi8>, %arg12: tensor<ui8>, %arg13: tensor<2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<3x6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}], replicated={"y"}>}, %arg15: tensor<5x16x16xui8>) -> (tensor<2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<i1>, tensor<ui8>) {
    %0 = stablehlo.abs %arg5 : tensor<2xf64>
    %1 = stablehlo.xor %arg0, %arg0 : tensor<i1>
    %2 = stablehlo.convert %arg12 : tensor<ui8>
    return %0, %1, %2 : tensor<2xf64>, tensor<i1>, tensor<ui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<6x5xi1>, %arg3: tensor<12x6x3xi1>, %arg4: tensor<f32>, %arg5: tensor<2xf32>, %arg6: tensor<6x5xf32>, %arg7: tensor<12x6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg8: tensor<ui64>, %arg9: tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<6x5xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {}]>}, %arg11: tensor<12x6x3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}, {}, {"y"}]>}, %arg12: tensor<ui8>, %arg13: tensor<2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg14: tensor<6x5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}]>}, %arg15: tensor<12x6x3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}, {}]>}) -> (tensor<12x6x3xui8>, tensor<2xi1>) {
    %0 = stablehlo.convert %arg3 : (tensor<12x6x3xi1>) -> tensor<12x6x3xui8>
    %1 = stablehlo.convert %arg15 : tensor<12x6x3xui8>
    %2 = stablehlo.compare LE, %arg5, %arg5 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    return %1, %2 : tensor<12x6x3xui8>, tensor<2xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}, %arg3: tensor<3x5x4xi1>, %arg4: tensor<f16>, %arg5: tensor<6xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg6: tensor<8x5xf16>, %arg7: tensor<3x5x4xf16>, %arg8: tensor<ui8>, %arg9: tensor<6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"y"}>}, %arg10: tensor<8x5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], replicated={"y"}>}, %arg11: tensor<3x5x4xui8>, %arg12: tensor<i32>, %arg13: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<8x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg15: tensor<3x5x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"x"}]>}) -> (tensor<8x5xi1>, tensor<3xi1>) {
    %0 = stablehlo.convert %arg14 : (tensor<8x5xi32>) -> tensor<8x5xi1>
    %1 = stablehlo.and %arg2, %arg2 : tensor<8x5xi1>
    %2 = stablehlo.slice %arg1 [1:6:2] : (tensor<6xi1>) -> tensor<3xi1>
    return %1, %2 : tensor<8x5xi1>, tensor<3xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1>, %arg2: tensor<6x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg3: tensor<4x8x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}]>}, %arg4: tensor<bf16>, %arg5: tensor<12xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<6x8xbf16>, %arg7: tensor<4x8x2xbf16>, %arg8: tensor<i64>, %arg9: tensor<12xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg10: tensor<6x8xi64>, %arg11: tensor<4x8x2xi64>, %arg12: tensor<ui64>, %arg13: tensor<12xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg14: tensor<6x8xui64>, %arg15: tensor<4x8x2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}, {}]>}) -> (tensor<6x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, tensor<4x8x2xi1>, tensor<6x8xi1>) {
    %0 = stablehlo.reverse %arg2, dims = [1] : tensor<6x8xi1>
    %1 = stablehlo.multiply %arg3, %arg3 : tensor<4x8x2xi1>
    %2 = stablehlo.compare GT, %arg2, %arg2 : (tensor<6x8xi1>, tensor<6x8xi1>) -> tensor<6x8xi1>
    return %0, %1, %2 : tensor<6x8xi1>, tensor<4x8x2xi1>, tensor<6x8xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<3x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<2x8x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {?}]>}, %arg4: tensor<bf16>, %arg5: tensor<8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<3x4xbf16>, %arg7: tensor<2x8x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}, {?}]>}, %arg8: tensor<i8>, %arg9: tensor<8xi8>, %arg10: tensor<3x4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg11: tensor<2x8x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}, {}]>}, %arg12: tensor<ui8>, %arg13: tensor<8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg14: tensor<3x4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg15: tensor<2x8x16xui8>) -> (tensor<2x8x16xui8>, tensor<8xi1>, tensor<2x8x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<2x8x16xui8>
    %1 = stablehlo.transpose %arg1, dims = [0] : (tensor<8xi1>) -> tensor<8xi1>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<8xi1>
    %3 = stablehlo.add %arg3, %arg3 : tensor<2x8x16xi1>
    return %0, %2, %3 : tensor<2x8x16xui8>, tensor<8xi1>, tensor<2x8x16xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<2x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}, %arg3: tensor<12x6x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}, {?}]>}, %arg4: tensor<f32>, %arg5: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<2x8xf32>, %arg7: tensor<12x6x8xf32>, %arg8: tensor<i32>, %arg9: tensor<2xi32>, %arg10: tensor<2x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x", ?}]>}, %arg11: tensor<12x6x8xi32>, %arg12: tensor<ui8>, %arg13: tensor<2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<2x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg15: tensor<12x6x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {?}]>}) -> (tensor<12x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, tensor<12x6x8xf32>) {
    %0 = stablehlo.round_nearest_even %arg7 : tensor<12x6x8xf32>
    %1 = stablehlo.add %0, %0 : tensor<12x6x8xf32>
    %cst = stablehlo.constant dense<-6.400000e+01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.clamp %cst, %1, %cst_0 : (tensor<f32>, tensor<12x6x8xf32>, tensor<f32>) -> tensor<12x6x8xf32>
    return %0, %2 : tensor<12x6x8xf32>, tensor<12x6x8xf32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}], replicated={"z"}>}, %arg2: tensor<4x12xi1>, %arg3: tensor<8x8x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {}, {"y"}]>}, %arg4: tensor<f16>, %arg5: tensor<5xf16>, %arg6: tensor<4x12xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "x"}]>}, %arg7: tensor<8x8x5xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}, %arg8: tensor<i32>, %arg9: tensor<5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], replicated={"z"}>}, %arg10: tensor<4x12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {?}]>}, %arg11: tensor<8x8x5xi32>, %arg12: tensor<i64>, %arg13: tensor<5xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<4x12xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg15: tensor<8x8x5xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y", ?}, {?}]>}) -> (tensor<4x12xi32>, tensor<f16>, tensor<5xi1>) {
    %0 = stablehlo.maximum %arg10, %arg10 : tensor<4x12xi32>
    %1 = stablehlo.round_nearest_even %arg4 : tensor<f16>
    %2 = stablehlo.minimum %arg1, %arg1 : tensor<5xi1>
    return %0, %1, %2 : tensor<4x12xi32>, tensor<f16>, tensor<5xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<12x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}, %arg3: tensor<2x2x8xi1>, %arg4: tensor<f64>, %arg5: tensor<4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<12x16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}, %arg7: tensor<2x2x8xf64>, %arg8: tensor<ui64>, %arg9: tensor<4xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<12x16xui64>, %arg11: tensor<2x2x8xui64>, %arg12: tensor<i64>, %arg13: tensor<4xi64>, %arg14: tensor<12x16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg15: tensor<2x2x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"x", ?}]>}) -> (tensor<2x2x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}, tensor<2x2x8xi64>, tensor<2x2x8xf64>) {
    %0 = stablehlo.clamp %arg7, %arg7, %arg7 : tensor<2x2x8xf64>
    %1 = stablehlo.clamp %arg15, %arg15, %arg15 : tensor<2x2x8xi64>
    %2 = stablehlo.abs %arg7 : tensor<2x2x8xf64>
    return %0, %1, %2 : tensor<2x2x8xf64>, tensor<2x2x8xi64>, tensor<2x2x8xf64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x2xi1>, %arg3: tensor<6x5x16xi1>, %arg4: tensor<f16>, %arg5: tensor<16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<8x2xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z", "x", ?}, {}]>}, %arg7: tensor<6x5x16xf16>, %arg8: tensor<i8>, %arg9: tensor<16xi8>, %arg10: tensor<8x2xi8>, %arg11: tensor<6x5x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"z"}, {}]>}, %arg12: tensor<ui64>, %arg13: tensor<16xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}]>}, %arg14: tensor<8x2xui64>, %arg15: tensor<6x5x16xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {"z"}]>}) -> (tensor<6x16x5xui64>, tensor<16xf16>) {
    %0 = stablehlo.transpose %arg15, dims = [0, 2, 1] : (tensor<6x5x16xui64>) -> tensor<6x16x5xui64>
    %1 = stablehlo.convert %arg5 : (tensor<16xf16>) -> tensor<16xi1>
    %2 = stablehlo.select %1, %arg5, %arg5 : tensor<16xi1>, tensor<16xf16>
    return %0, %2 : tensor<6x16x5xui64>, tensor<16xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}]>}, %arg2: tensor<5x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}, %arg3: tensor<4x6x5xi1>, %arg4: tensor<f64>, %arg5: tensor<6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<5x16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<4x6x5xf64>, %arg8: tensor<i64>, %arg9: tensor<6xi64>, %arg10: tensor<5x16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"x"}], replicated={"y"}>}, %arg11: tensor<4x6x5xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}, {"z"}, {?}]>}, %arg12: tensor<ui16>, %arg13: tensor<6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg14: tensor<5x16xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"z", ?}]>}, %arg15: tensor<4x6x5xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}) -> (tensor<6xui16>, tensor<5xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.convert %arg13 : tensor<6xui16>
    %1 = stablehlo.shift_right_logical %0, %arg13 : tensor<6xui16>
    %2 = stablehlo.slice %arg9 [1:6] : (tensor<6xi64>) -> tensor<5xi64>
    return %1, %2 : tensor<6xui16>, tensor<5xi64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg2: tensor<8x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}, {}]>}, %arg3: tensor<5x16x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<8x2xbf16>, %arg7: tensor<5x16x8xbf16>, %arg8: tensor<i8>, %arg9: tensor<8xi8>, %arg10: tensor<8x2xi8>, %arg11: tensor<5x16x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}, {}, {"y", "x"}]>}, %arg12: tensor<i64>, %arg13: tensor<8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z", ?}]>}, %arg14: tensor<8x2xi64>, %arg15: tensor<5x16x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x", ?}, {"y", ?}, {}]>}) -> (tensor<8x2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}, tensor<i8>, tensor<bf16>) {
    %0 = stablehlo.transpose %arg10, dims = [0, 1] : (tensor<8x2xi8>) -> tensor<8x2xi8>
    %1 = stablehlo.xor %arg8, %arg8 : tensor<i8>
    %2 = stablehlo.round_nearest_even %arg4 : tensor<bf16>
    return %0, %1, %2 : tensor<8x2xi8>, tensor<i8>, tensor<bf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<12x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}, {}]>}, %arg3: tensor<3x5x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<4xf16>, %arg6: tensor<12x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<3x5x2xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}, {}]>}, %arg8: tensor<ui16>, %arg9: tensor<4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg10: tensor<12x8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}]>}, %arg11: tensor<3x5x2xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {}]>}, %arg12: tensor<i16>, %arg13: tensor<4xi16>, %arg14: tensor<12x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<3x5x2xi16>) -> (tensor<3x5x2xi1>, tensor<12x8xi1>, tensor<12x8xf16>) {
    %0 = stablehlo.maximum %arg3, %arg3 : tensor<3x5x2xi1>
    %1 = stablehlo.xor %arg2, %arg2 : tensor<12x8xi1>
    %2 = stablehlo.round_nearest_even %arg6 : tensor<12x8xf16>
    return %0, %1, %2 : tensor<3x5x2xi1>, tensor<12x8xi1>, tensor<12x8xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1>, %arg2: tensor<16x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg3: tensor<5x2x3xi1>, %arg4: tensor<f64>, %arg5: tensor<5xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<16x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg7: tensor<5x2x3xf64>, %arg8: tensor<ui16>, %arg9: tensor<5xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}, %arg10: tensor<16x4xui16>, %arg11: tensor<5x2x3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}, {"x"}]>}, %arg12: tensor<i16>, %arg13: tensor<5xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<16x4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<5x2x3xi16>) -> (tensor<i1>, tensor<6xui16>, tensor<5x2x3xf64>) {
    %0 = stablehlo.and %arg0, %arg0 : tensor<i1>
    %1 = stablehlo.pad %arg9, %arg8, low = [1], high = [0], interior = [0] : (tensor<5xui16>, tensor<ui16>) -> tensor<6xui16>
    %2 = stablehlo.convert %arg3 : (tensor<5x2x3xi1>) -> tensor<5x2x3xf64>
    return %0, %1, %2 : tensor<i1>, tensor<6xui16>, tensor<5x2x3xf64>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<3x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<5x5x12xi1>, %arg4: tensor<f16>, %arg5: tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}], replicated={"x"}>}, %arg6: tensor<3x2xf16>, %arg7: tensor<5x5x12xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x"}, {}]>}, %arg8: tensor<i8>, %arg9: tensor<4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"x"}>}, %arg10: tensor<3x2xi8>, %arg11: tensor<5x5x12xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"x", ?}]>}, %arg12: tensor<i16>, %arg13: tensor<4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg14: tensor<3x2xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"y"}>}, %arg15: tensor<5x5x12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}], replicated={"y"}>}) -> (tensor<1x2x3xi16>, tensor<3x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], replicated={"x"}>}, tensor<i8>, tensor<3x2xf16>) {
    %0 = stablehlo.reshape %arg14 : (tensor<3x2xi16>) -> tensor<1x2x3xi16>
    %1 = stablehlo.and %arg2, %arg2 : tensor<3x2xi1>
    %2:2 = stablehlo.optimization_barrier %arg8, %arg6 : tensor<i8>, tensor<3x2xf16>
    return %0, %1, %2#0, %2#1 : tensor<1x2x3xi16>, tensor<3x2xi1>, tensor<i8>, tensor<3x2xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1>, %arg2: tensor<5x3xi1>, %arg3: tensor<3x12x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}, {"x"}]>}, %arg4: tensor<f64>, %arg5: tensor<5xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg6: tensor<5x3xf64>, %arg7: tensor<3x12x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y"}, {}]>}, %arg8: tensor<i16>, %arg9: tensor<5xi16>, %arg10: tensor<5x3xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>}, %arg11: tensor<3x12x6xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"x", "y", ?}]>}, %arg12: tensor<ui8>, %arg13: tensor<5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}, %arg14: tensor<5x3xui8>, %arg15: tensor<3x12x6xui8>) -> (tensor<2x8x3xi1>, tensor<ui8>) {
    %0 = stablehlo.slice %arg3 [0:3:2, 4:12, 3:6] : (tensor<3x12x6xi1>) -> tensor<2x8x3xi1>
    %1 = stablehlo.convert %arg12 : tensor<ui8>
    %2 = stablehlo.maximum %arg12, %arg12 : tensor<ui8>
    return %0, %2 : tensor<2x8x3xi1>, tensor<ui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg2: tensor<5x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<5x8x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {?}]>}, %arg4: tensor<f16>, %arg5: tensor<3xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<5x5xf16>, %arg7: tensor<5x8x16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"x"}]>}, %arg8: tensor<i32>, %arg9: tensor<3xi32>, %arg10: tensor<5x5xi32>, %arg11: tensor<5x8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}, {?}]>}, %arg12: tensor<i16>, %arg13: tensor<3xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg14: tensor<5x5xi16>, %arg15: tensor<5x8x16xi16>) -> (tensor<i16>, tensor<5x8x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"x"}]>}, tensor<3xf16>) {
    %0 = stablehlo.sign %arg12 : tensor<i16>
    %1 = stablehlo.maximum %arg11, %arg11 : tensor<5x8x16xi32>
    %2 = stablehlo.convert %arg1 : (tensor<3xi1>) -> tensor<3xf16>
    %3 = stablehlo.clamp %arg5, %arg5, %arg5 : tensor<3xf16>
    return %0, %1, %3 : tensor<i16>, tensor<5x8x16xi32>, tensor<3xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<2x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg3: tensor<2x8x6xi1>, %arg4: tensor<bf16>, %arg5: tensor<6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<2x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<2x8x6xbf16>, %arg8: tensor<i64>, %arg9: tensor<6xi64>, %arg10: tensor<2x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", "y"}]>}, %arg11: tensor<2x8x6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, %arg12: tensor<ui16>, %arg13: tensor<6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}]>}, %arg14: tensor<2x8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg15: tensor<2x8x6xui16>) -> (tensor<i64>, tensor<2x8xi1>) {
    %0 = stablehlo.abs %arg8 : tensor<i64>
    %1 = stablehlo.convert %arg6 : (tensor<2x8xbf16>) -> tensor<2x8xui16>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"y"}, {}]> : tensor<2x8xui16>
    %3 = stablehlo.compare GE, %arg14, %arg14 : (tensor<2x8xui16>, tensor<2x8xui16>) -> tensor<2x8xi1>
    return %0, %3 : tensor<i64>, tensor<2x8xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg2: tensor<8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg3: tensor<3x2x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}], replicated={"y"}>}, %arg4: tensor<f32>, %arg5: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<8x8xf32>, %arg7: tensor<3x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}, {}]>}, %arg8: tensor<ui16>, %arg9: tensor<8xui16>, %arg10: tensor<8x8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x"}]>}, %arg11: tensor<3x2x8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}, {}]>}, %arg12: tensor<i64>, %arg13: tensor<8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<8x8xi64>, %arg15: tensor<3x2x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}, {?}]>}) -> (tensor<3x2x8xui16>, tensor<3x2x8xf32>, tensor<8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
    %0 = stablehlo.shift_right_logical %arg11, %arg11 : tensor<3x2x8xui16>
    %1 = stablehlo.iota dim = 2 : tensor<3x2x8xf32>
    %2 = stablehlo.iota dim = 0 : tensor<8xi64>
    return %0, %1, %2 : tensor<3x2x8xui16>, tensor<3x2x8xf32>, tensor<8xi64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<2x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg3: tensor<2x5x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<8xbf16>, %arg6: tensor<2x3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, %arg7: tensor<2x5x3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x"}, {?}]>}, %arg8: tensor<i32>, %arg9: tensor<8xi32>, %arg10: tensor<2x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}]>}, %arg11: tensor<2x5x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], replicated={"y"}>}, %arg12: tensor<ui64>, %arg13: tensor<8xui64>, %arg14: tensor<2x3xui64>, %arg15: tensor<2x5x3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x", ?}, {}]>}) -> (tensor<2x5x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}]>}, tensor<2x5x2xi32>) {
    %c = stablehlo.constant dense<4> : tensor<3x2xi32>
    %0 = sdy.sharding_constraint %c <@mesh, [{}, {"y"}]> : tensor<3x2xi32>
    %1 = stablehlo.dot_general %arg11, %0, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}, {}, {}]>]>} : (tensor<2x5x3xi32>, tensor<3x2xi32>) -> tensor<2x5x2xi32>
    %2 = stablehlo.shift_right_logical %1, %1 : tensor<2x5x2xi32>
    return %1, %2 : tensor<2x5x2xi32>, tensor<2x5x2xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<5x8xi1>, %arg3: tensor<12x12x4xi1>, %arg4: tensor<f64>, %arg5: tensor<12xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg6: tensor<5x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}]>}, %arg7: tensor<12x12x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}, {}]>}, %arg8: tensor<i8>, %arg9: tensor<12xi8>, %arg10: tensor<5x8xi8>, %arg11: tensor<12x12x4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"z", "x", ?}, {}]>}, %arg12: tensor<i16>, %arg13: tensor<12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z", ?}]>}, %arg14: tensor<5x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "x", ?}]>}, %arg15: tensor<12x12x4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], replicated={"z"}>}) -> (tensor<5x8xi1>, tensor<12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<5x8xi16>) {
    %0 = stablehlo.convert %arg14 : (tensor<5x8xi16>) -> tensor<5x8xi1>
    %1 = stablehlo.multiply %arg1, %arg1 : tensor<12xi1>
    %2 = stablehlo.shift_right_arithmetic %arg14, %arg14 : tensor<5x8xi16>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"z"}, {"x"}]> : tensor<5x8xi16>
    return %0, %1, %3 : tensor<5x8xi1>, tensor<12xi1>, tensor<5x8xi16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}], replicated={"x"}>}, %arg2: tensor<4x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x", ?}, {"y", ?}]>}, %arg3: tensor<4x16x4xi1>, %arg4: tensor<f64>, %arg5: tensor<6xf64>, %arg6: tensor<4x3xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {}]>}, %arg7: tensor<4x16x4xf64>, %arg8: tensor<ui16>, %arg9: tensor<6xui16>, %arg10: tensor<4x3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<4x16x4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"z", "x", ?}, {}]>}, %arg12: tensor<i64>, %arg13: tensor<6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}, %arg14: tensor<4x3xi64>, %arg15: tensor<4x16x4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}) -> (tensor<4x3xi1>, tensor<ui16>, tensor<4x3xi1>) {
    %0 = stablehlo.or %arg2, %arg2 : tensor<4x3xi1>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {?}]> : tensor<4x3xi1>
    %2 = stablehlo.popcnt %arg8 : tensor<ui16>
    %3 = stablehlo.or %arg2, %1 : tensor<4x3xi1>
    return %1, %2, %3 : tensor<4x3xi1>, tensor<ui16>, tensor<4x3xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg2: tensor<8x3xi1>, %arg3: tensor<8x8x5xi1>, %arg4: tensor<bf16>, %arg5: tensor<4xbf16>, %arg6: tensor<8x3xbf16>, %arg7: tensor<8x8x5xbf16>, %arg8: tensor<i8>, %arg9: tensor<4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg10: tensor<8x3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg11: tensor<8x8x5xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg12: tensor<ui32>, %arg13: tensor<4xui32>, %arg14: tensor<8x3xui32>, %arg15: tensor<8x8x5xui32>) -> (tensor<8x3xui32>, tensor<4xui32>, tensor<4xbf16>) {
    %0 = stablehlo.clamp %arg14, %arg14, %arg14 : tensor<8x3xui32>
    %1 = stablehlo.transpose %arg13, dims = [0] : (tensor<4xui32>) -> tensor<4xui32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}]> : tensor<4xui32>
    %3 = stablehlo.floor %arg5 : tensor<4xbf16>
    return %0, %2, %3 : tensor<8x3xui32>, tensor<4xui32>, tensor<4xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<12x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg3: tensor<5x2x6xi1>, %arg4: tensor<f32>, %arg5: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<12x12xf32>, %arg7: tensor<5x2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}]>}, %arg8: tensor<i16>, %arg9: tensor<5xi16>, %arg10: tensor<12x12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<5x2x6xi16>, %arg12: tensor<ui64>, %arg13: tensor<5xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<12x12xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg15: tensor<5x2x6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}) -> (tensor<12x12xi1>, tensor<5xi1>) {
    %0 = stablehlo.and %arg2, %arg2 : tensor<12x12xi1>
    %c = stablehlo.constant dense<true> : tensor<5xi1>
    %1 = stablehlo.maximum %arg1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<5xi1>
    return %0, %1 : tensor<12x12xi1>, tensor<5xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1>, %arg2: tensor<12x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg3: tensor<12x8x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}, {"x", "z"}]>}, %arg4: tensor<f32>, %arg5: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}]>}, %arg6: tensor<12x2xf32>, %arg7: tensor<12x8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"z", "y"}]>}, %arg8: tensor<ui16>, %arg9: tensor<4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"y"}>}, %arg10: tensor<12x2xui16>, %arg11: tensor<12x8x5xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {"y", ?}, {}]>}, %arg12: tensor<ui64>, %arg13: tensor<4xui64>, %arg14: tensor<12x2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}, %arg15: tensor<12x8x5xui64>) -> (tensor<i1>, tensor<12x7x6xui64>, tensor<4xf32>) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<i1>
    %1 = stablehlo.pad %arg15, %arg12, low = [-1, 0, 0], high = [1, -1, 1], interior = [0, 0, 0] : (tensor<12x8x5xui64>, tensor<ui64>) -> tensor<12x7x6xui64>
    %2 = stablehlo.round_nearest_afz %arg5 : tensor<4xf32>
    return %0, %1, %2 : tensor<i1>, tensor<12x7x6xui64>, tensor<4xf32>
  }
}
