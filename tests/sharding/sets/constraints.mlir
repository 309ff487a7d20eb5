module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<16x32xf32>) -> (tensor<16xi32> {jax.result_info = "result"}) {
    %0 = call @argmax(%arg0) : (tensor<16x32xf32>) -> tensor<16xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"z", "y"}]> : tensor<16xi32>
    return %1 : tensor<16xi32>
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
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg1: tensor<8x16xf32>) -> (tensor<16x16xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", "y", ?}]>}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"y", "x"}, {}]> : tensor<16x16xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<16x16xf32>
    return %3 : tensor<16x16xf32>
  }
}
// -----
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}]>}, %arg1: tensor<1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg1 : (tensor<1xf32>) -> tensor<f32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare GT, %0, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
      %5 = stablehlo.multiply %arg0, %4 : tensor<16x8xf32>
      %6 = sdy.sharding_constraint %5 <@mesh, [{}, {"y", "x", ?}]> : tensor<16x8xf32>
      %7 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
      %8 = stablehlo.dot_general %6, %7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
      %9 = sdy.sharding_constraint %8 <@mesh, [{"x", ?}, {"y"}]> : tensor<16x16xf32>
      %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
      %11 = stablehlo.multiply %9, %10 : tensor<16x16xf32>
      %12 = sdy.sharding_constraint %11 <@mesh, [{"y", "x"}, {}]> : tensor<16x16xf32>
      stablehlo.return %12 : tensor<16x16xf32>
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
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<16x16xf32>) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<16x16xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @closed_call(%iterArg_0) : (tensor<16x16xf32>) -> tensor<16x16xf32>
      %2 = sdy.sharding_constraint %1 <@mesh, [{"z", "y"}, {"x"}]> : tensor<16x16xf32>
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<16x16xf32>
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
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], replicated={"y"}>}, %arg2: tensor<4x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x", ?}]>}, %arg3: tensor<6x16x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, %arg4: tensor<f64>, %arg5: tensor<12xf64>, %arg6: tensor<4x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg7: tensor<6x16x5xf64>, %arg8: tensor<i32>, %arg9: tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg11: tensor<6x16x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x", ?}, {}]>}, %arg12: tensor<ui8>, %arg13: tensor<12xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<4x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<6x16x5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {?}]>}) -> (tensor<6x16x5xui8>, tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.convert %arg11 : (tensor<6x16x5xi32>) -> tensor<6x16x5xui8>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x", "y"}, {}]> : tensor<6x16x5xui8>
    %2 = stablehlo.subtract %1, %arg15 : tensor<6x16x5xui8>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {"x", "y", ?}, {}]> : tensor<6x16x5xui8>
    %4 = stablehlo.subtract %arg10, %arg10 : tensor<4x8xi32>
    return %3, %4 : tensor<6x16x5xui8>, tensor<4x8xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x16xi1>, %arg3: tensor<4x6x8xi1>, %arg4: tensor<f32>, %arg5: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}]>}, %arg6: tensor<8x16xf32>, %arg7: tensor<4x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}], replicated={"y"}>}, %arg8: tensor<ui32>, %arg9: tensor<6xui32>, %arg10: tensor<8x16xui32>, %arg11: tensor<4x6x8xui32>, %arg12: tensor<ui16>, %arg13: tensor<6xui16>, %arg14: tensor<8x16xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<4x6x8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}], replicated={"x"}>}) -> (tensor<6xf32>, tensor<6xi1>, tensor<8x16xf32>) {
    %0 = stablehlo.sign %arg5 : tensor<6xf32>
    %1 = stablehlo.is_finite %0 : (tensor<6xf32>) -> tensor<6xi1>
    %2 = stablehlo.floor %arg6 : tensor<8x16xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {?}]> : tensor<8x16xf32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    return %0, %1, %4 : tensor<6xf32>, tensor<6xi1>, tensor<8x16xf32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z", ?}]>}, %arg2: tensor<5x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"y"}>}, %arg3: tensor<3x6x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"z", ?}]>}, %arg4: tensor<f32>, %arg5: tensor<8xf32>, %arg6: tensor<5x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg7: tensor<3x6x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"z", ?}], replicated={"y"}>}, %arg8: tensor<ui8>, %arg9: tensor<8xui8>, %arg10: tensor<5x16xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x", "z"}]>}, %arg11: tensor<3x6x16xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {?}]>}, %arg12: tensor<i16>, %arg13: tensor<8xi16>, %arg14: tensor<5x16xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "z", ?}], replicated={"y"}>}, %arg15: tensor<3x6x16xi16>) -> (tensor<8xui8>, tensor<5x3xui8>) {
    %0 = stablehlo.transpose %arg9, dims = [0] : (tensor<8xui8>) -> tensor<8xui8>
    %c = stablehlo.constant dense<1> : tensor<3x16xui8>
    %1 = sdy.sharding_constraint %c <@mesh, [{}, {"z"}]> : tensor<3x16xui8>
    %2 = stablehlo.convolution(%arg10, %1) dim_numbers = [b, f]x[o, i]->[b, f], window = {stride = [], pad = [], lhs_dilate = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<5x16xui8>, tensor<3x16xui8>) -> tensor<5x3xui8>
    return %0, %2 : tensor<8xui8>, tensor<5x3xui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<6x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg3: tensor<12x6x3xi1>, %arg4: tensor<f64>, %arg5: tensor<8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"z"}>}, %arg6: tensor<6x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", ?}]>}, %arg7: tensor<12x6x3xf64>, %arg8: tensor<ui32>, %arg9: tensor<8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<6x8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}]>}, %arg11: tensor<12x6x3xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}], replicated={"z"}>}, %arg12: tensor<i8>, %arg13: tensor<8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg14: tensor<6x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z"}, {}]>}, %arg15: tensor<12x6x3xi8>) -> (tensor<12x6x3xi1>, tensor<6x16xf64>, tensor<6x8xi8>) {
    %0 = stablehlo.add %arg3, %arg3 : tensor<12x6x3xi1>
    %1 = stablehlo.concatenate %arg6, %arg6, dim = 1 : (tensor<6x8xf64>, tensor<6x8xf64>) -> tensor<6x16xf64>
    %2 = stablehlo.negate %arg14 : tensor<6x8xi8>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"z", "y", ?}, {}]> : tensor<6x8xi8>
    return %0, %1, %3 : tensor<12x6x3xi1>, tensor<6x16xf64>, tensor<6x8xi8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y", "x"}, {}]>}, %arg3: tensor<5x8x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"x"}]>}, %arg4: tensor<f16>, %arg5: tensor<2xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<8x3xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, %arg7: tensor<5x8x4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"z", "y"}]>}, %arg8: tensor<i8>, %arg9: tensor<2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<8x3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}], replicated={"y"}>}, %arg11: tensor<5x8x4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg12: tensor<i32>, %arg13: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg14: tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg15: tensor<5x8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", "z"}]>}) -> (tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<5x8x4xi8>) {
    %0 = stablehlo.compare NE, %arg13, %arg13 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c = stablehlo.constant dense<4> : tensor<5x8x4xi8>
    %1 = sdy.sharding_constraint %c <@mesh, [{}, {"z", ?}, {"y", "x"}]> : tensor<5x8x4xi8>
    %2 = stablehlo.clamp %1, %arg11, %arg11 : tensor<5x8x4xi8>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}, {}]> : tensor<5x8x4xi8>
    %4 = sdy.sharding_constraint %3 <@mesh, [{?}, {}, {}], replicated={"x"}> : tensor<5x8x4xi8>
    return %0, %4 : tensor<2xi1>, tensor<5x8x4xi8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1>, %arg2: tensor<12x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<8x5x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, %arg4: tensor<f64>, %arg5: tensor<4xf64>, %arg6: tensor<12x16xf64>, %arg7: tensor<8x5x2xf64>, %arg8: tensor<ui8>, %arg9: tensor<4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<12x16xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<8x5x2xui8>, %arg12: tensor<i64>, %arg13: tensor<4xi64>, %arg14: tensor<12x16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}, %arg15: tensor<8x5x2xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], replicated={"x"}>}) -> (tensor<8x5x2xi1>, tensor<i64>) {
    %0 = stablehlo.convert %arg7 : (tensor<8x5x2xf64>) -> tensor<8x5x2xi1>
    %1 = stablehlo.concatenate %arg3, dim = 1 : (tensor<8x5x2xi1>) -> tensor<8x5x2xi1>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x", ?}, {}, {}]> : tensor<8x5x2xi1>
    %3 = stablehlo.count_leading_zeros %arg12 : tensor<i64>
    return %2, %3 : tensor<8x5x2xi1>, tensor<i64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<5x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg3: tensor<8x16x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {?}]>}, %arg4: tensor<bf16>, %arg5: tensor<16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<5x3xbf16>, %arg7: tensor<8x16x4xbf16>, %arg8: tensor<ui16>, %arg9: tensor<16xui16>, %arg10: tensor<5x3xui16>, %arg11: tensor<8x16x4xui16>, %arg12: tensor<ui32>, %arg13: tensor<16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg14: tensor<5x3xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<8x16x4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (tensor<8x5x4xui16>, tensor<ui16>, tensor<8x16x4xui16>) {
    %0 = stablehlo.slice %arg11 [0:8, 7:16:2, 0:4] : (tensor<8x16x4xui16>) -> tensor<8x5x4xui16>
    %1 = stablehlo.shift_left %arg8, %arg8 : tensor<ui16>
    %2 = stablehlo.subtract %arg11, %arg11 : tensor<8x16x4xui16>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"x"}, {}, {?}]> : tensor<8x16x4xui16>
    return %0, %1, %3 : tensor<8x5x4xui16>, tensor<ui16>, tensor<8x16x4xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1>, %arg2: tensor<12x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg3: tensor<6x3x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}, %arg4: tensor<f64>, %arg5: tensor<6xf64>, %arg6: tensor<12x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg7: tensor<6x3x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {?}]>}, %arg8: tensor<i8>, %arg9: tensor<6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<12x8xi8>, %arg11: tensor<6x3x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<ui16>, %arg13: tensor<6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"y"}>}, %arg14: tensor<12x8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", "x", ?}]>}, %arg15: tensor<6x3x6xui16>) -> tensor<6xi8> {
    %0 = stablehlo.convert %arg1 : (tensor<6xi1>) -> tensor<6xi8>
    %c = stablehlo.constant dense<6> : tensor<6xi8>
    %1 = stablehlo.and %arg9, %c : tensor<6xi8>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}], replicated={"x"}> : tensor<6xi8>
    %c_0 = stablehlo.constant dense<1> : tensor<6xi8>
    %3 = stablehlo.or %2, %c_0 : tensor<6xi8>
    %4 = stablehlo.divide %0, %3 : tensor<6xi8>
    return %4 : tensor<6xi8>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1>, %arg2: tensor<8x3xi1>, %arg3: tensor<6x12x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}, {}, {}]>}, %arg4: tensor<f64>, %arg5: tensor<4xf64>, %arg6: tensor<8x3xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg7: tensor<6x12x4xf64>, %arg8: tensor<i32>, %arg9: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<8x3xi32>, %arg11: tensor<6x12x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}, {}, {}]>}, %arg12: tensor<ui64>, %arg13: tensor<4xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<8x3xui64>, %arg15: tensor<6x12x4xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}, {}]>}) -> (tensor<6x12x4xi32>, tensor<5x14x4xi32>) {
    %0 = stablehlo.transpose %arg11, dims = [0, 1, 2] : (tensor<6x12x4xi32>) -> tensor<6x12x4xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {"y", ?}, {}]> : tensor<6x12x4xi32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.pad %1, %c, low = [0, 1, -1], high = [-1, 1, 1], interior = [0, 0, 0] : (tensor<6x12x4xi32>, tensor<i32>) -> tensor<5x14x4xi32>
    return %1, %2 : tensor<6x12x4xi32>, tensor<5x14x4xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1>, %arg2: tensor<4x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg3: tensor<4x5x12xi1>, %arg4: tensor<f32>, %arg5: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg7: tensor<4x5x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {?}]>}, %arg8: tensor<i16>, %arg9: tensor<16xi16>, %arg10: tensor<4x4xi16>, %arg11: tensor<4x5x12xi16>, %arg12: tensor<ui16>, %arg13: tensor<16xui16>, %arg14: tensor<4x4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg15: tensor<4x5x12xui16>) -> tensor<16xui16> {
    %c = stablehlo.constant dense<6> : tensor<16xui16>
    %0 = stablehlo.and %arg13, %c : tensor<16xui16>
    %c_0 = stablehlo.constant dense<1> : tensor<16xui16>
    %1 = stablehlo.or %0, %c_0 : tensor<16xui16>
    %2 = stablehlo.divide %arg13, %1 : tensor<16xui16>
    %3 = sdy.sharding_constraint %2 <@mesh, [{"y"}]> : tensor<16xui16>
    return %3 : tensor<16xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1>, %arg2: tensor<6x16xi1>, %arg3: tensor<4x8x12xi1>, %arg4: tensor<bf16>, %arg5: tensor<3xbf16>, %arg6: tensor<6x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z", "y"}]>}, %arg7: tensor<4x8x12xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", ?}, {}]>}, %arg8: tensor<i8>, %arg9: tensor<3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<6x16xi8>, %arg11: tensor<4x8x12xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {"y"}]>}, %arg12: tensor<ui32>, %arg13: tensor<3xui32>, %arg14: tensor<6x16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}, {"x", "y"}]>}, %arg15: tensor<4x8x12xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {}]>}) -> tensor<6x16xbf16> {
    %0 = stablehlo.subtract %arg6, %arg6 : tensor<6x16xbf16>
    %cst = stablehlo.constant dense<-6.400000e+01> : tensor<bf16>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<bf16>
    %1 = stablehlo.clamp %cst, %0, %cst_0 : (tensor<bf16>, tensor<6x16xbf16>, tensor<bf16>) -> tensor<6x16xbf16>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"z"}, {?}]> : tensor<6x16xbf16>
    return %2 : tensor<6x16xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg2: tensor<5x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, %arg3: tensor<8x6x2xi1>, %arg4: tensor<f32>, %arg5: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<5x4xf32>, %arg7: tensor<8x6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}, {?}, {}]>}, %arg8: tensor<i32>, %arg9: tensor<16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg10: tensor<5x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<8x6x2xi32>, %arg12: tensor<ui8>, %arg13: tensor<16xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<5x4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg15: tensor<8x6x2xui8>) -> (tensor<i1>, tensor<5x4xui8>, tensor<8x6x2xi1>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<i1>
    %1 = stablehlo.concatenate %arg14, dim = 1 : (tensor<5x4xui8>) -> tensor<5x4xui8>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"y"}]> : tensor<5x4xui8>
    %3 = stablehlo.compare GT, %arg11, %arg11 : (tensor<8x6x2xi32>, tensor<8x6x2xi32>) -> tensor<8x6x2xi1>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}, {?}, {}]> : tensor<8x6x2xi1>
    return %0, %2, %4 : tensor<i1>, tensor<5x4xui8>, tensor<8x6x2xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<6x4xi1>, %arg3: tensor<5x16x8xi1>, %arg4: tensor<f32>, %arg5: tensor<3xf32>, %arg6: tensor<6x4xf32>, %arg7: tensor<5x16x8xf32>, %arg8: tensor<ui16>, %arg9: tensor<3xui16>, %arg10: tensor<6x4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {}]>}, %arg11: tensor<5x16x8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<i64>, %arg13: tensor<3xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<6x4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}, {"x", ?}]>}, %arg15: tensor<5x16x8xi64>) -> tensor<6x4xi64> {
    %c = stablehlo.constant dense<4> : tensor<6x4xi64>
    %0 = sdy.sharding_constraint %c <@mesh, [{?}, {"x", ?}], replicated={"z"}> : tensor<6x4xi64>
    %c_0 = stablehlo.constant dense<6> : tensor<6x4xi64>
    %1 = stablehlo.and %arg14, %c_0 : tensor<6x4xi64>
    %c_1 = stablehlo.constant dense<1> : tensor<6x4xi64>
    %2 = stablehlo.or %1, %c_1 : tensor<6x4xi64>
    %3 = stablehlo.divide %arg14, %2 : tensor<6x4xi64>
    return %3 : tensor<6x4xi64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<6x2xi1>, %arg3: tensor<8x4x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x", ?}, {"y"}, {?}]>}, %arg4: tensor<f16>, %arg5: tensor<16xf16>, %arg6: tensor<6x2xf16>, %arg7: tensor<8x4x16xf16>, %arg8: tensor<ui64>, %arg9: tensor<16xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", "z"}]>}, %arg10: tensor<6x2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}], replicated={"y"}>}, %arg11: tensor<8x4x16xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"z", "y"}]>}, %arg12: tensor<ui32>, %arg13: tensor<16xui32>, %arg14: tensor<6x2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg15: tensor<8x4x16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "x", ?}, {?}]>}) -> (tensor<16xui32>, tensor<3x3x16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"y", "z"}], replicated={"x"}>}) {
    %0 = stablehlo.maximum %arg13, %arg13 : tensor<16xui32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"z"}]> : tensor<16xui32>
    %c = stablehlo.constant dense<2> : tensor<3x2xi32>
    %2 = "stablehlo.gather"(%arg7, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3, 16>}> : (tensor<8x4x16xf16>, tensor<3x2xi32>) -> tensor<3x3x16xf16>
    return %1, %2 : tensor<16xui32>, tensor<3x3x16xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"z"}>}, %arg2: tensor<4x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg3: tensor<16x4x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z", "y"}, {}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<12xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<4x5xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x", ?}, {}]>}, %arg7: tensor<16x4x4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg8: tensor<ui16>, %arg9: tensor<12xui16>, %arg10: tensor<4x5xui16>, %arg11: tensor<16x4x4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"z", ?}]>}, %arg12: tensor<i16>, %arg13: tensor<12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg14: tensor<4x5xi16>, %arg15: tensor<16x4x4xi16>) -> (tensor<4x5xf16>, tensor<4x15xi1>, tensor<4x5xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}) {
    %0 = stablehlo.minimum %arg6, %arg6 : tensor<4x5xf16>
    %1 = stablehlo.concatenate %arg2, %arg2, %arg2, dim = 1 : (tensor<4x5xi1>, tensor<4x5xi1>, tensor<4x5xi1>) -> tensor<4x15xi1>
    %2 = stablehlo.ceil %0 : tensor<4x5xf16>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {}], replicated={"x"}> : tensor<4x5xf16>
    return %0, %1, %3 : tensor<4x5xf16>, tensor<4x15xi1>, tensor<4x5xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<5x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}, %arg3: tensor<16x5x6xi1>, %arg4: tensor<bf16>, %arg5: tensor<2xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}, %arg6: tensor<5x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<16x5x6xbf16>, %arg8: tensor<ui16>, %arg9: tensor<2xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg10: tensor<5x8xui16>, %arg11: tensor<16x5x6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", "y"}]>}, %arg12: tensor<i8>, %arg13: tensor<2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"x"}>}, %arg14: tensor<5x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<16x5x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y", "x"}]>}) -> (tensor<16x5x6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}, {"x", ?}]>}) {
    %c = stablehlo.constant dense<6> : tensor<16x5x6xui16>
    %0 = sdy.sharding_constraint %c <@mesh, [{}, {?}, {"x"}]> : tensor<16x5x6xui16>
    %1 = stablehlo.and %arg11, %0 : tensor<16x5x6xui16>
    %c_0 = stablehlo.constant dense<1> : tensor<16x5x6xui16>
    %2 = stablehlo.or %1, %c_0 : tensor<16x5x6xui16>
    %3 = stablehlo.remainder %arg11, %2 : tensor<16x5x6xui16>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}, {?}, {"x", "y"}]> : tensor<16x5x6xui16>
    return %4 : tensor<16x5x6xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", "z"}, {}]>}, %arg3: tensor<12x2x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg4: tensor<f64>, %arg5: tensor<3xf64>, %arg6: tensor<8x3xf64>, %arg7: tensor<12x2x12xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}, {"z", "x"}]>}, %arg8: tensor<ui8>, %arg9: tensor<3xui8>, %arg10: tensor<8x3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg11: tensor<12x2x12xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x", ?}, {"y"}, {?}]>}, %arg12: tensor<ui16>, %arg13: tensor<3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<8x3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}, {}]>}, %arg15: tensor<12x2x12xui16>) -> (tensor<8x3xui8>, tensor<8x3xui8>, tensor<8x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}) {
    %0 = stablehlo.optimization_barrier %arg10 : tensor<8x3xui8>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], replicated={"y"}> : tensor<8x3xui8>
    %2 = stablehlo.add %1, %1 : tensor<8x3xui8>
    %3 = stablehlo.convert %arg2 : tensor<8x3xi1>
    %4 = stablehlo.minimum %3, %arg2 : tensor<8x3xi1>
    return %1, %2, %4 : tensor<8x3xui8>, tensor<8x3xui8>, tensor<8x3xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<16x5x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}], replicated={"z"}>}, %arg4: tensor<f64>, %arg5: tensor<3xf64>, %arg6: tensor<8x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<16x5x12xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {"z"}]>}, %arg8: tensor<ui8>, %arg9: tensor<3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<8x6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "z", ?}, {}]>}, %arg11: tensor<16x5x12xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<ui64>, %arg13: tensor<3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<8x6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<16x5x12xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}], replicated={"x"}>}) -> (tensor<8x6xui64>, tensor<16x5x12xui8>, tensor<ui64>) {
    %0 = stablehlo.not %arg14 : tensor<8x6xui64>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {?}]> : tensor<8x6xui64>
    %2 = stablehlo.not %arg11 : tensor<16x5x12xui8>
    %3 = stablehlo.shift_right_arithmetic %arg12, %arg12 : tensor<ui64>
    return %1, %2, %3 : tensor<8x6xui64>, tensor<16x5x12xui8>, tensor<ui64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<12x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], replicated={"x"}>}, %arg3: tensor<4x5x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<12x2xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y"}]>}, %arg7: tensor<4x5x3xbf16>, %arg8: tensor<ui32>, %arg9: tensor<8xui32>, %arg10: tensor<12x2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<4x5x3xui32>, %arg12: tensor<ui16>, %arg13: tensor<8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<12x2xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg15: tensor<4x5x3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (tensor<12x2xui16>, tensor<ui16>) {
    %0 = stablehlo.xor %arg14, %arg14 : tensor<12x2xui16>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"y", ?}]> : tensor<12x2xui16>
    %c = stablehlo.constant dense<3> : tensor<ui16>
    %2 = stablehlo.select %arg0, %c, %arg12 : tensor<i1>, tensor<ui16>
    return %1, %2 : tensor<12x2xui16>, tensor<ui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<12x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x"}]>}, %arg3: tensor<8x8x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {?}]>}, %arg4: tensor<f16>, %arg5: tensor<8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg6: tensor<12x6xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<8x8x16xf16>, %arg8: tensor<ui64>, %arg9: tensor<8xui64>, %arg10: tensor<12x6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", "y"}]>}, %arg11: tensor<8x8x16xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<i8>, %arg13: tensor<8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg14: tensor<12x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg15: tensor<8x8x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}) -> (tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<12x6xi1>, tensor<8x8x16xf16>) {
    %0 = stablehlo.select %arg1, %arg1, %arg1 : tensor<8xi1>, tensor<8xi1>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xi1>
    %2 = stablehlo.not %arg2 : tensor<12x6xi1>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {"x"}], replicated={"y"}> : tensor<12x6xi1>
    %4 = stablehlo.iota dim = 0 : tensor<8x8x16xf16>
    return %1, %3, %4 : tensor<8xi1>, tensor<12x6xi1>, tensor<8x8x16xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<8x8x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<8x8xbf16>, %arg7: tensor<8x8x2xbf16>, %arg8: tensor<i16>, %arg9: tensor<8xi16>, %arg10: tensor<8x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg11: tensor<8x8x2xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}, {}]>}, %arg12: tensor<i32>, %arg13: tensor<8xi32>, %arg14: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<8x8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}, {?}]>}) -> (tensor<8x8xbf16>, tensor<8x8xi1>, tensor<8x8xbf16>) {
    %0 = stablehlo.round_nearest_even %arg6 : tensor<8x8xbf16>
    %1 = stablehlo.convert %arg6 : (tensor<8x8xbf16>) -> tensor<8x8xi1>
    %2 = sdy.sharding_constraint %1 <@mesh, [{?}, {"y"}]> : tensor<8x8xi1>
    %3 = stablehlo.ceil %arg6 : tensor<8x8xbf16>
    return %0, %2, %3 : tensor<8x8xbf16>, tensor<8x8xi1>, tensor<8x8xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<2x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg3: tensor<6x8x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {?}]>}, %arg4: tensor<f64>, %arg5: tensor<8xf64>, %arg6: tensor<2x8xf64>, %arg7: tensor<6x8x2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}, %arg8: tensor<ui64>, %arg9: tensor<8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg10: tensor<2x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg11: tensor<6x8x2xui64>, %arg12: tensor<i8>, %arg13: tensor<8xi8>, %arg14: tensor<2x8xi8>, %arg15: tensor<6x8x2xi8>) -> (tensor<1x6x8x2xf64>, tensor<8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<f64>) {
    %0 = stablehlo.broadcast_in_dim %arg7, dims = [1, 2, 3] : (tensor<6x8x2xf64>) -> tensor<1x6x8x2xf64>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}, {"y", ?}, {}]> : tensor<1x6x8x2xf64>
    %2 = stablehlo.shift_right_logical %arg13, %arg13 : tensor<8xi8>
    %3 = stablehlo.sign %arg4 : tensor<f64>
    return %1, %2, %3 : tensor<1x6x8x2xf64>, tensor<8xi8>, tensor<f64>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<12x5xi1>, %arg3: tensor<16x5x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg4: tensor<f32>, %arg5: tensor<5xf32>, %arg6: tensor<12x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x"}>}, %arg7: tensor<16x5x6xf32>, %arg8: tensor<ui8>, %arg9: tensor<5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<12x5xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg11: tensor<16x5x6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", ?}]>}, %arg12: tensor<ui16>, %arg13: tensor<5xui16>, %arg14: tensor<12x5xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}, %arg15: tensor<16x5x6xui16>) -> (tensor<16x5x6xui8>, tensor<5xui8>, tensor<5xi1>) {
    %0 = stablehlo.subtract %arg11, %arg11 : tensor<16x5x6xui8>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {?}, {"x"}]> : tensor<16x5x6xui8>
    %2 = stablehlo.pad %arg9, %arg8, low = [1], high = [-1], interior = [0] : (tensor<5xui8>, tensor<ui8>) -> tensor<5xui8>
    %3 = stablehlo.is_finite %arg5 : (tensor<5xf32>) -> tensor<5xi1>
    return %1, %2, %3 : tensor<16x5x6xui8>, tensor<5xui8>, tensor<5xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<5x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg3: tensor<2x8x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}, {?}]>}, %arg4: tensor<f16>, %arg5: tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<5x8xf16>, %arg7: tensor<2x8x16xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}, {}]>}, %arg8: tensor<i8>, %arg9: tensor<4xi8>, %arg10: tensor<5x8xi8>, %arg11: tensor<2x8x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg12: tensor<ui64>, %arg13: tensor<4xui64>, %arg14: tensor<5x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg15: tensor<2x8x16xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}, {}]>}) -> tensor<5x8xf16> {
    %cst = stablehlo.constant dense<-6.400000e+01> : tensor<f16>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f16>
    %0 = stablehlo.clamp %cst, %arg6, %cst_0 : (tensor<f16>, tensor<5x8xf16>, tensor<f16>) -> tensor<5x8xf16>
    %1 = stablehlo.convert %0 : tensor<5x8xf16>
    %2 = stablehlo.maximum %1, %arg6 : tensor<5x8xf16>
    %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {"x"}]> : tensor<5x8xf16>
    return %3 : tensor<5x8xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg2: tensor<12x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}, {}]>}, %arg3: tensor<12x6x5xi1>, %arg4: tensor<f16>, %arg5: tensor<12xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}]>}, %arg6: tensor<12x6xf16>, %arg7: tensor<12x6x5xf16>, %arg8: tensor<i32>, %arg9: tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<12x6xi32>, %arg11: tensor<12x6x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {}]>}, %arg12: tensor<i16>, %arg13: tensor<12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg14: tensor<12x6xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}], replicated={"y"}>}, %arg15: tensor<12x6x5xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) -> (tensor<12x6x5xi16>, tensor<12x6xi16>, tensor<i32>) {
    %0 = stablehlo.reverse %arg15, dims = [2] : tensor<12x6x5xi16>
    %1 = stablehlo.multiply %arg14, %arg14 : tensor<12x6xi16>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {"y", ?}]> : tensor<12x6xi16>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.select %arg0, %c, %arg8 : tensor<i1>, tensor<i32>
    return %0, %2, %3 : tensor<12x6x5xi16>, tensor<12x6xi16>, tensor<i32>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<8x2xi1>, %arg3: tensor<3x8x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}, %arg4: tensor<f32>, %arg5: tensor<8xf32>, %arg6: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<3x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {?}]>}, %arg8: tensor<i32>, %arg9: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg10: tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg11: tensor<3x8x16xi32>, %arg12: tensor<i8>, %arg13: tensor<8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<8x2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg15: tensor<3x8x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<8x2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) {
    %c = stablehlo.constant dense<6> : tensor<8x2xi8>
    %0 = stablehlo.and %arg14, %c : tensor<8x2xi8>
    %c_0 = stablehlo.constant dense<1> : tensor<8x2xi8>
    %1 = sdy.sharding_constraint %c_0 <@mesh, [{"x"}, {}]> : tensor<8x2xi8>
    %2 = stablehlo.or %0, %1 : tensor<8x2xi8>
    %3 = stablehlo.remainder %arg14, %2 : tensor<8x2xi8>
    return %3 : tensor<8x2xi8>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<4x6xi1>, %arg3: tensor<5x8x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], replicated={"x"}>}, %arg4: tensor<f32>, %arg5: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}, %arg7: tensor<5x8x6xf32>, %arg8: tensor<ui64>, %arg9: tensor<8xui64>, %arg10: tensor<4x6xui64>, %arg11: tensor<5x8x6xui64>, %arg12: tensor<i8>, %arg13: tensor<8xi8>, %arg14: tensor<4x6xi8>, %arg15: tensor<5x8x6xi8>) -> (tensor<f32>, tensor<6x6xf32>, tensor<4x6xui64>) {
    %0 = stablehlo.minimum %arg4, %arg4 : tensor<f32>
    %1 = stablehlo.pad %arg6, %0, low = [1, 1], high = [1, -1], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6x6xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x", ?}, {}]> : tensor<6x6xf32>
    %3 = stablehlo.not %arg10 : tensor<4x6xui64>
    return %0, %2, %3 : tensor<f32>, tensor<6x6xf32>, tensor<4x6xui64>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1>, %arg2: tensor<6x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<4x12x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {?}, {?}]>}, %arg4: tensor<f32>, %arg5: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<4x12x8xf32>, %arg8: tensor<ui8>, %arg9: tensor<12xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<6x3xui8>, %arg11: tensor<4x12x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<ui16>, %arg13: tensor<12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, %arg14: tensor<6x3xui16>, %arg15: tensor<4x12x8xui16>) -> (tensor<6x3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"y"}>}, tensor<f32>, tensor<4x12x8xf32>) {
    %0 = stablehlo.shift_right_logical %arg10, %arg10 : tensor<6x3xui8>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"z", ?}, {}]> : tensor<6x3xui8>
    %2 = stablehlo.abs %arg4 : tensor<f32>
    %3 = stablehlo.minimum %arg7, %arg7 : tensor<4x12x8xf32>
    return %1, %2, %3 : tensor<6x3xui8>, tensor<f32>, tensor<4x12x8xf32>
  }
}
