module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>) -> (tensor<16x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %2 = sdy.manual_computation(%0, %1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x", ?}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x16xf32>, %arg3: tensor<4x16xf32>) {
      %3 = stablehlo.multiply %arg2, %arg3 : tensor<4x16xf32>
      sdy.return %3 : tensor<4x16xf32>
    } : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}
// -----
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<16x8xf32>, %arg1: tensor<1xf32>) -> (tensor<16x16xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}, {"x"}]>}) {
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
      %9 = sdy.manual_computation(%7, %8) in_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"y"} (%arg2: tensor<16x16xf32>, %arg3: tensor<16x16xf32>) {
        %10 = stablehlo.multiply %arg2, %arg3 : tensor<16x16xf32>
        sdy.return %10 : tensor<16x16xf32>
      } : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
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
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x5xi1>, %arg3: tensor<8x4x12xi1>, %arg4: tensor<f32>, %arg5: tensor<2xf32>, %arg6: tensor<8x5xf32>, %arg7: tensor<8x4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg8: tensor<ui32>, %arg9: tensor<2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<8x5xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {}]>}, %arg11: tensor<8x4x12xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}, {}, {"y"}]>}, %arg12: tensor<ui16>, %arg13: tensor<2xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg14: tensor<8x5xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg15: tensor<8x4x12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}) -> (tensor<ui32>, tensor<ui32>, tensor<8x5xi1>, tensor<8x5xi1>) {
    %0 = stablehlo.shift_left %arg8, %arg8 : tensor<ui32>
    %1 = stablehlo.xor %0, %0 : tensor<ui32>
    %2 = sdy.manual_computation(%arg6) in_shardings=[<@mesh, [{"x", "y", "z"}, {}]>] out_shardings=[<@mesh, [{"x", "y", "z"}, {?}]>] manual_axes={"x", "y", "z"} (%arg16: tensor<1x5xf32>) {
      %5 = stablehlo.convert %arg16 : (tensor<1x5xf32>) -> tensor<1x5xi1>
      sdy.return %5 : tensor<1x5xi1>
    } : (tensor<8x5xf32>) -> tensor<8x5xi1>
    %3 = stablehlo.and %2, %2 : tensor<8x5xi1>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"x"}, {}]> : tensor<8x5xi1>
    return %0, %1, %2, %4 : tensor<ui32>, tensor<ui32>, tensor<8x5xi1>, tensor<8x5xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<2x3xi1>, %arg3: tensor<16x4x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x", ?}, {"y"}, {?}]>}, %arg4: tensor<f16>, %arg5: tensor<2xf16>, %arg6: tensor<2x3xf16>, %arg7: tensor<16x4x12xf16>, %arg8: tensor<i8>, %arg9: tensor<2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg10: tensor<2x3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}], replicated={"y"}>}, %arg11: tensor<16x4x12xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"z", "y"}]>}, %arg12: tensor<ui16>, %arg13: tensor<2xui16>, %arg14: tensor<2x3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<16x4x12xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", "y", ?}, {?}]>}) -> (tensor<2xf16>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<2xf16>
    %0 = sdy.manual_computation(%cst, %arg5) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y", "z"} (%arg16: tensor<1xf16>, %arg17: tensor<1xf16>) {
      %3 = stablehlo.minimum %arg16, %arg17 : tensor<1xf16>
      sdy.return %3 : tensor<1xf16>
    } : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
    %1 = stablehlo.convert %arg4 : (tensor<f16>) -> tensor<i1>
    %2 = stablehlo.add %arg0, %arg0 : tensor<i1>
    return %0, %2 : tensor<2xf16>, tensor<i1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<4x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<5x12x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<4x6xf16>, %arg7: tensor<5x12x2xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}, %arg8: tensor<i32>, %arg9: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg10: tensor<4x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg11: tensor<5x12x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}, {?}]>}, %arg12: tensor<ui32>, %arg13: tensor<4xui32>, %arg14: tensor<4x6xui32>, %arg15: tensor<5x12x2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {?}]>}) -> (tensor<2xui64>, tensor<1xui32>, tensor<5x12x2xi32>, tensor<2xui64>) {
    %c = stablehlo.constant dense<[4660237114688061730, 4627736358683488903]> : tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %c, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui32>)
    %0 = stablehlo.and %arg11, %arg11 : tensor<5x12x2xi32>
    %1 = sdy.manual_computation(%output_state) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"x", "y"} (%arg16: tensor<1xui64>) {
      %2 = stablehlo.count_leading_zeros %arg16 : tensor<1xui64>
      sdy.return %2 : tensor<1xui64>
    } : (tensor<2xui64>) -> tensor<2xui64>
    return %output_state, %output, %0, %1 : tensor<2xui64>, tensor<1xui32>, tensor<5x12x2xi32>, tensor<2xui64>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<4x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x"}]>}, %arg3: tensor<8x8x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, %arg4: tensor<f32>, %arg5: tensor<8xf32>, %arg6: tensor<4x3xf32>, %arg7: tensor<8x8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", "y", ?}]>}, %arg8: tensor<i8>, %arg9: tensor<8xi8>, %arg10: tensor<4x3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg11: tensor<8x8x12xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<ui8>, %arg13: tensor<8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg14: tensor<4x3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x", ?}]>}, %arg15: tensor<8x8x12xui8>) -> (tensor<4x3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}, tensor<f32>, tensor<i8>, tensor<4x9xi8>, tensor<4x3xi8>) {
    %0 = stablehlo.or %arg10, %arg10 : tensor<4x3xi8>
    %1:2 = stablehlo.optimization_barrier %arg4, %arg8 : tensor<f32>, tensor<i8>
    %2 = stablehlo.concatenate %0, %0, %0, dim = 1 : (tensor<4x3xi8>, tensor<4x3xi8>, tensor<4x3xi8>) -> tensor<4x9xi8>
    %3 = sdy.manual_computation(%0, %arg10, %arg10) in_shardings=[<@mesh, [{"y", ?}, {}]>, <@mesh, [{"y"}, {?}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"y"} (%arg16: tensor<2x3xi8>, %arg17: tensor<2x3xi8>, %arg18: tensor<2x3xi8>) {
      %4 = stablehlo.clamp %arg16, %arg17, %arg18 : tensor<2x3xi8>
      sdy.return %4 : tensor<2x3xi8>
    } : (tensor<4x3xi8>, tensor<4x3xi8>, tensor<4x3xi8>) -> tensor<4x3xi8>
    return %0, %1#0, %1#1, %2, %3 : tensor<4x3xi8>, tensor<f32>, tensor<i8>, tensor<4x9xi8>, tensor<4x3xi8>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg2: tensor<8x4xi1>, %arg3: tensor<6x8x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg4: tensor<f32>, %arg5: tensor<4xf32>, %arg6: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg7: tensor<6x8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg8: tensor<ui8>, %arg9: tensor<4xui8>, %arg10: tensor<8x4xui8>, %arg11: tensor<6x8x5xui8>, %arg12: tensor<i16>, %arg13: tensor<4xi16>, %arg14: tensor<8x4xi16>, %arg15: tensor<6x8x5xi16>) -> (tensor<8x4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %c = stablehlo.constant dense<6> : tensor<8x4xui8>
    %0 = stablehlo.and %arg10, %c : tensor<8x4xui8>
    %c_0 = stablehlo.constant dense<1> : tensor<8x4xui8>
    %1 = sdy.manual_computation(%0, %c_0) in_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, [{?}, {"x"}]>] out_shardings=[<@mesh, [{?}, {"x"}]>] manual_axes={"x"} (%arg16: tensor<8x2xui8>, %arg17: tensor<8x2xui8>) {
      %3 = stablehlo.or %arg16, %arg17 : tensor<8x2xui8>
      sdy.return %3 : tensor<8x2xui8>
    } : (tensor<8x4xui8>, tensor<8x4xui8>) -> tensor<8x4xui8>
    %2 = stablehlo.remainder %arg10, %1 : tensor<8x4xui8>
    return %2 : tensor<8x4xui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1>, %arg2: tensor<6x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}, %arg3: tensor<5x8x8xi1>, %arg4: tensor<bf16>, %arg5: tensor<2xbf16>, %arg6: tensor<6x5xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<5x8x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"y"}]>}, %arg8: tensor<i64>, %arg9: tensor<2xi64>, %arg10: tensor<6x5xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg11: tensor<5x8x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y", ?}], replicated={"x"}>}, %arg12: tensor<i16>, %arg13: tensor<2xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], replicated={"x"}>}, %arg14: tensor<6x5xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %arg15: tensor<5x8x8xi16>) -> (tensor<6x5xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<-64> : tensor<i64>
    %c_0 = stablehlo.constant dense<64> : tensor<i64>
    %0 = stablehlo.clamp %c, %arg10, %c_0 : (tensor<i64>, tensor<6x5xi64>, tensor<i64>) -> tensor<6x5xi64>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", "y", ?}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x", "y"} (%arg16: tensor<1x5xi64>) {
      %3 = stablehlo.convert %arg16 : (tensor<1x5xi64>) -> tensor<1x5xbf16>
      sdy.return %3 : tensor<1x5xbf16>
    } : (tensor<6x5xi64>) -> tensor<6x5xbf16>
    %2 = stablehlo.sign %arg6 : tensor<6x5xbf16>
    return %2 : tensor<6x5xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xi1>, %arg2: tensor<5x8xi1>, %arg3: tensor<12x6x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"z"}, {?}]>}, %arg4: tensor<bf16>, %arg5: tensor<3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<5x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], replicated={"y"}>}, %arg7: tensor<12x6x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}, {"z"}]>}, %arg8: tensor<ui64>, %arg9: tensor<3xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg10: tensor<5x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"z", "y", "x"}]>}, %arg11: tensor<12x6x8xui64>, %arg12: tensor<i32>, %arg13: tensor<3xi32>, %arg14: tensor<5x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "y"}]>}, %arg15: tensor<12x6x8xi32>) -> tensor<12x6x8xbf16> {
    %0 = sdy.manual_computation(%arg7, %arg7) in_shardings=[<@mesh, [{"y"}, {?}, {}]>, <@mesh, [{"y"}, {}, {}]>] out_shardings=[<@mesh, [{"y", ?}, {}, {?}]>] manual_axes={"y"} (%arg16: tensor<6x6x8xbf16>, %arg17: tensor<6x6x8xbf16>) {
      %2 = stablehlo.subtract %arg16, %arg17 : tensor<6x6x8xbf16>
      sdy.return %2 : tensor<6x6x8xbf16>
    } : (tensor<12x6x8xbf16>, tensor<12x6x8xbf16>) -> tensor<12x6x8xbf16>
    %cst = stablehlo.constant dense<-6.400000e+01> : tensor<bf16>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<bf16>
    %1 = stablehlo.clamp %cst, %0, %cst_0 : (tensor<bf16>, tensor<12x6x8xbf16>, tensor<bf16>) -> tensor<12x6x8xbf16>
    return %1 : tensor<12x6x8xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<8x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg3: tensor<12x6x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {"x"}]>}, %arg4: tensor<bf16>, %arg5: tensor<8xbf16>, %arg6: tensor<8x2xbf16>, %arg7: tensor<12x6x8xbf16>, %arg8: tensor<i8>, %arg9: tensor<8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg10: tensor<8x2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %arg11: tensor<12x6x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg12: tensor<ui8>, %arg13: tensor<8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg14: tensor<8x2xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg15: tensor<12x6x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}, {}]>}) -> tensor<12x6x8xui8> {
    %c = stablehlo.constant dense<6> : tensor<12x6x8xui8>
    %0 = stablehlo.and %arg15, %c : tensor<12x6x8xui8>
    %c_0 = stablehlo.constant dense<1> : tensor<12x6x8xui8>
    %1 = stablehlo.or %0, %c_0 : tensor<12x6x8xui8>
    %2 = sdy.manual_computation(%arg15, %1) in_shardings=[<@mesh, [{"x", ?}, {}, {}]>, <@mesh, [{"x", ?}, {?}, {}]>] out_shardings=[<@mesh, [{"x"}, {}, {}]>] manual_axes={"x"} (%arg16: tensor<6x6x8xui8>, %arg17: tensor<6x6x8xui8>) {
      %3 = stablehlo.remainder %arg16, %arg17 : tensor<6x6x8xui8>
      sdy.return %3 : tensor<6x6x8xui8>
    } : (tensor<12x6x8xui8>, tensor<12x6x8xui8>) -> tensor<12x6x8xui8>
    return %2 : tensor<12x6x8xui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg2: tensor<16x2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %arg3: tensor<2x8x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<16x2xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<2x8x6xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"y"}]>}, %arg8: tensor<ui32>, %arg9: tensor<4xui32>, %arg10: tensor<16x2xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {"z"}]>}, %arg11: tensor<2x8x6xui32>, %arg12: tensor<i64>, %arg13: tensor<4xi64>, %arg14: tensor<16x2xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}]>}, %arg15: tensor<2x8x6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}, {}]>}) -> (tensor<2x8x6xi1>, tensor<4xi64> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, tensor<4xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "y"}]>}, tensor<2x8x6xi1>) {
    %0 = stablehlo.maximum %arg3, %arg3 : tensor<2x8x6xi1>
    %1 = sdy.manual_computation(%arg13) in_shardings=[<@mesh, [{"x", "y", ?}]>] out_shardings=[<@mesh, [{"x", "y", ?}]>] manual_axes={"x", "y", "z"} (%arg16: tensor<1xi64>) {
      %4 = stablehlo.sign %arg16 : tensor<1xi64>
      sdy.return %4 : tensor<1xi64>
    } : (tensor<4xi64>) -> tensor<4xi64>
    %2 = stablehlo.iota dim = 0 : tensor<4xf16>
    %3 = sdy.manual_computation(%0, %0) in_shardings=[<@mesh, [{?}, {"x"}, {"y", "z"}]>, <@mesh, [{}, {"x"}, {"y", "z"}]>] out_shardings=[<@mesh, [{}, {"x", ?}, {"y", "z", ?}]>] manual_axes={"x", "y", "z"} (%arg16: tensor<2x2x3xi1>, %arg17: tensor<2x2x3xi1>) {
      %4 = stablehlo.multiply %arg16, %arg17 : tensor<2x2x3xi1>
      sdy.return %4 : tensor<2x2x3xi1>
    } : (tensor<2x8x6xi1>, tensor<2x8x6xi1>) -> tensor<2x8x6xi1>
    return %0, %1, %2, %3 : tensor<2x8x6xi1>, tensor<4xi64>, tensor<4xf16>, tensor<2x8x6xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<4x12xi1>, %arg3: tensor<8x3x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"x", "y"}]>}, %arg4: tensor<f16>, %arg5: tensor<8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"y"}>}, %arg6: tensor<4x12xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x"}]>}, %arg7: tensor<8x3x12xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}, %arg8: tensor<i64>, %arg9: tensor<8xi64>, %arg10: tensor<4x12xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<8x3x12xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg12: tensor<ui32>, %arg13: tensor<8xui32>, %arg14: tensor<4x12xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}, %arg15: tensor<8x3x12xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", ?}]>}) -> (tensor<8x3x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {"x", "y"}]>}, tensor<4x12xui32>, tensor<8x3x12xf16>, tensor<8x3x12xui32>) {
    %0 = stablehlo.minimum %arg3, %arg3 : tensor<8x3x12xi1>
    %1 = stablehlo.iota dim = 0 : tensor<4x12xui32>
    %2 = sdy.manual_computation(%arg3, %arg7, %arg7) in_shardings=[<@mesh, [{"y", ?}, {"x", ?}, {}]>, <@mesh, [{"y", ?}, {"x"}, {?}]>, <@mesh, [{"y", ?}, {"x", ?}, {?}]>] out_shardings=[<@mesh, [{"y"}, {"x", ?}, {?}]>] manual_axes={"x", "y"} (%arg16: tensor<4x1x12xi1>, %arg17: tensor<4x1x12xf16>, %arg18: tensor<4x1x12xf16>) {
      %4 = stablehlo.select %arg16, %arg17, %arg18 : tensor<4x1x12xi1>, tensor<4x1x12xf16>
      sdy.return %4 : tensor<4x1x12xf16>
    } : (tensor<8x3x12xi1>, tensor<8x3x12xf16>, tensor<8x3x12xf16>) -> tensor<8x3x12xf16>
    %3 = stablehlo.and %arg15, %arg15 : tensor<8x3x12xui32>
    return %0, %1, %2, %3 : tensor<8x3x12xi1>, tensor<4x12xui32>, tensor<8x3x12xf16>, tensor<8x3x12xui32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<4x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}, %arg3: tensor<8x6x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}]>}, %arg4: tensor<f32>, %arg5: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, %arg7: tensor<8x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"x", "y"}]>}, %arg8: tensor<ui16>, %arg9: tensor<8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg10: tensor<4x6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}, %arg11: tensor<8x6x8xui16>, %arg12: tensor<i32>, %arg13: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<4x6xi32>, %arg15: tensor<8x6x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> tensor<8x6x8xi32> {
    %c = stablehlo.constant dense<6> : tensor<8x6x8xi32>
    %0 = stablehlo.and %arg15, %c : tensor<8x6x8xi32>
    %c_0 = stablehlo.constant dense<1> : tensor<8x6x8xi32>
    %1 = stablehlo.or %0, %c_0 : tensor<8x6x8xi32>
    %2 = sdy.manual_computation(%arg15, %1) in_shardings=[<@mesh, [{"x"}, {?}, {}]>, <@mesh, [{"x"}, {?}, {?}]>] out_shardings=[<@mesh, [{"x"}, {}, {?}]>] manual_axes={"x"} (%arg16: tensor<2x6x8xi32>, %arg17: tensor<2x6x8xi32>) {
      %3 = stablehlo.remainder %arg16, %arg17 : tensor<2x6x8xi32>
      sdy.return %3 : tensor<2x6x8xi32>
    } : (tensor<8x6x8xi32>, tensor<8x6x8xi32>) -> tensor<8x6x8xi32>
    return %2 : tensor<8x6x8xi32>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1>, %arg2: tensor<8x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<12x8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}, {}]>}, %arg4: tensor<f32>, %arg5: tensor<4xf32>, %arg6: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x"}>}, %arg7: tensor<12x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}, {}]>}, %arg8: tensor<i32>, %arg9: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], replicated={"x"}>}, %arg10: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {}]>}, %arg11: tensor<12x8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg12: tensor<i8>, %arg13: tensor<4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<8x4xi8>, %arg15: tensor<12x8x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {}]>}) -> (tensor<12x8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}, {}]>}, tensor<2xi1>, tensor<12x8x8xi1>) {
    %0 = stablehlo.convert %arg11 : tensor<12x8x8xi32>
    %1 = sdy.manual_computation(%0, %arg11, %arg11) in_shardings=[<@mesh, [{"x"}, {"y"}, {}]>, <@mesh, [{"x", ?}, {"y"}, {}]>, <@mesh, [{"x", ?}, {"y", ?}, {}]>] out_shardings=[<@mesh, [{"x"}, {"y"}, {?}]>] manual_axes={"x", "y"} (%arg16: tensor<4x4x8xi32>, %arg17: tensor<4x4x8xi32>, %arg18: tensor<4x4x8xi32>) {
      %4 = stablehlo.clamp %arg16, %arg17, %arg18 : tensor<4x4x8xi32>
      sdy.return %4 : tensor<4x4x8xi32>
    } : (tensor<12x8x8xi32>, tensor<12x8x8xi32>, tensor<12x8x8xi32>) -> tensor<12x8x8xi32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<i1>) -> tensor<2xi1>
    %3 = stablehlo.select %arg3, %arg3, %arg3 : tensor<12x8x8xi1>, tensor<12x8x8xi1>
    return %1, %2, %3 : tensor<12x8x8xi32>, tensor<2xi1>, tensor<12x8x8xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<4x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {}]>}, %arg3: tensor<2x8x5xi1>, %arg4: tensor<f16>, %arg5: tensor<4xf16>, %arg6: tensor<4x8xf16>, %arg7: tensor<2x8x5xf16>, %arg8: tensor<i32>, %arg9: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg10: tensor<4x8xi32>, %arg11: tensor<2x8x5xi32>, %arg12: tensor<i16>, %arg13: tensor<4xi16>, %arg14: tensor<4x8xi16>, %arg15: tensor<2x8x5xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "z", "x"}, {}]>}) -> (tensor<4xi16>, tensor<4xi16>, tensor<2x8x5xi32>, tensor<2x8x5xf16>) {
    %0 = sdy.manual_computation(%arg13, %arg13, %arg13) in_shardings=[<@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}]>, <@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x", "y", ?}]>] manual_axes={"x", "y", "z"} (%arg16: tensor<1xi16>, %arg17: tensor<1xi16>, %arg18: tensor<1xi16>) {
      %4 = stablehlo.clamp %arg16, %arg17, %arg18 : tensor<1xi16>
      sdy.return %4 : tensor<1xi16>
    } : (tensor<4xi16>, tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
    %1 = stablehlo.count_leading_zeros %0 : tensor<4xi16>
    %2 = stablehlo.and %arg11, %arg11 : tensor<2x8x5xi32>
    %3 = stablehlo.minimum %arg7, %arg7 : tensor<2x8x5xf16>
    return %0, %1, %2, %3 : tensor<4xi16>, tensor<4xi16>, tensor<2x8x5xi32>, tensor<2x8x5xf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg2: tensor<3x16xi1>, %arg3: tensor<4x4x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<8xf16>, %arg6: tensor<3x16xf16>, %arg7: tensor<4x4x4xf16>, %arg8: tensor<ui16>, %arg9: tensor<8xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %arg10: tensor<3x16xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}]>}, %arg11: tensor<4x4x4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg12: tensor<i16>, %arg13: tensor<8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<3x16xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg15: tensor<4x4x4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}, {}]>}) -> (tensor<3x16xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}]>}) {
    %c = stablehlo.constant dense<6> : tensor<3x16xui16>
    %0 = stablehlo.and %arg10, %c : tensor<3x16xui16>
    %c_0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} dense<1> : tensor<3x16xui16>
    %1 = sdy.manual_computation(%0, %c_0) in_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{?}, {"x", ?}]>] manual_axes={"x"} (%arg16: tensor<3x8xui16>, %arg17: tensor<3x8xui16>) {
      %3 = stablehlo.or %arg16, %arg17 : tensor<3x8xui16>
      sdy.return %3 : tensor<3x8xui16>
    } : (tensor<3x16xui16>, tensor<3x16xui16>) -> tensor<3x16xui16>
    %2 = stablehlo.remainder %arg10, %1 : tensor<3x16xui16>
    return %2 : tensor<3x16xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x4xi1>, %arg3: tensor<3x8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"y"}]>}, %arg4: tensor<f32>, %arg5: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}], replicated={"x"}>}, %arg7: tensor<3x8x8xf32>, %arg8: tensor<ui16>, %arg9: tensor<16xui16>, %arg10: tensor<8x4xui16>, %arg11: tensor<3x8x8xui16>, %arg12: tensor<i16>, %arg13: tensor<16xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg14: tensor<8x4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg15: tensor<3x8x8xi16>) -> (tensor<8x4xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}) {
    %c = stablehlo.constant dense<6> : tensor<8x4xui16>
    %0 = stablehlo.and %arg10, %c : tensor<8x4xui16>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], replicated={"x"}> : tensor<8x4xui16>
    %c_0 = stablehlo.constant dense<1> : tensor<8x4xui16>
    %2 = stablehlo.or %1, %c_0 : tensor<8x4xui16>
    %3 = sdy.manual_computation(%arg10, %2) in_shardings=[<@mesh, [{?}, {?}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{?}, {}]>] manual_axes={"x"} (%arg16: tensor<8x4xui16>, %arg17: tensor<8x4xui16>) {
      %4 = stablehlo.remainder %arg16, %arg17 : tensor<8x4xui16>
      sdy.return %4 : tensor<8x4xui16>
    } : (tensor<8x4xui16>, tensor<8x4xui16>) -> tensor<8x4xui16>
    return %3 : tensor<8x4xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg2: tensor<8x6xi1>, %arg3: tensor<2x5x6xi1>, %arg4: tensor<f32>, %arg5: tensor<4xf32>, %arg6: tensor<8x6xf32>, %arg7: tensor<2x5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"z"}], replicated={"x"}>}, %arg8: tensor<i16>, %arg9: tensor<4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg10: tensor<8x6xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"z"}], replicated={"y"}>}, %arg11: tensor<2x5x6xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg12: tensor<ui64>, %arg13: tensor<4xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}], replicated={"x"}>}, %arg14: tensor<8x6xui64>, %arg15: tensor<2x5x6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {?}]>}) -> tensor<8x6xi16> {
    %c = stablehlo.constant dense<6> : tensor<8x6xi16>
    %0 = sdy.manual_computation(%arg10, %c) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x", ?}, {"y", ?}]>] out_shardings=[<@mesh, [{"x", ?}, {"y"}]>] manual_axes={"x", "y"} (%arg16: tensor<2x6xi16>, %arg17: tensor<2x6xi16>) {
      %3 = stablehlo.and %arg16, %arg17 : tensor<2x6xi16>
      sdy.return %3 : tensor<2x6xi16>
    } : (tensor<8x6xi16>, tensor<8x6xi16>) -> tensor<8x6xi16>
    %c_0 = stablehlo.constant dense<1> : tensor<8x6xi16>
    %1 = stablehlo.or %0, %c_0 : tensor<8x6xi16>
    %2 = sdy.manual_computation(%arg10, %1) in_shardings=[<@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y", ?}, {?}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x", "y"} (%arg16: tensor<2x6xi16>, %arg17: tensor<2x6xi16>) {
      %3 = stablehlo.remainder %arg16, %arg17 : tensor<2x6xi16>
      sdy.return %3 : tensor<2x6xi16>
    } : (tensor<8x6xi16>, tensor<8x6xi16>) -> tensor<8x6xi16>
    return %2 : tensor<8x6xi16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<12xi1>, %arg2: tensor<16x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg3: tensor<8x5x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y", "x"}]>}, %arg4: tensor<f32>, %arg5: tensor<12xf32>, %arg6: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}, %arg7: tensor<8x5x12xf32>, %arg8: tensor<i32>, %arg9: tensor<12xi32>, %arg10: tensor<16x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}, %arg11: tensor<8x5x12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x", ?}]>}, %arg12: tensor<i16>, %arg13: tensor<12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<16x16xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg15: tensor<8x5x12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {"y", "x"}]>}) -> (tensor<12xi1>, tensor<16x16xi1>, tensor<i32>) {
    %0 = sdy.manual_computation(%arg13) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg16: tensor<4xi16>) {
      %4 = stablehlo.convert %arg16 : (tensor<4xi16>) -> tensor<4xi1>
      sdy.return %4 : tensor<4xi1>
    } : (tensor<12xi16>) -> tensor<12xi1>
    %1 = stablehlo.add %0, %arg1 : tensor<12xi1>
    %2 = stablehlo.and %arg2, %arg2 : tensor<16x16xi1>
    %3 = stablehlo.optimization_barrier %arg8 : tensor<i32>
    return %1, %2, %3 : tensor<12xi1>, tensor<16x16xi1>, tensor<i32>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<12x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<5x8x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<12x5xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<5x8x8xf16>, %arg8: tensor<i8>, %arg9: tensor<8xi8>, %arg10: tensor<12x5xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg11: tensor<5x8x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {}]>}, %arg12: tensor<i16>, %arg13: tensor<8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<12x5xi16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg15: tensor<5x8x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}, {}]>}) -> (tensor<i1>, tensor<8xi1>) {
    %0 = stablehlo.convert %arg4 : (tensor<f16>) -> tensor<i16>
    %1 = stablehlo.compare NE, %arg12, %arg12 : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %2 = sdy.manual_computation(%arg13) in_shardings=[<@mesh, [{"y", ?}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"x", "y"} (%arg16: tensor<4xi16>) {
      %4 = stablehlo.convert %arg16 : (tensor<4xi16>) -> tensor<4xi1>
      sdy.return %4 : tensor<4xi1>
    } : (tensor<8xi16>) -> tensor<8xi1>
    %3 = stablehlo.select %2, %arg1, %arg1 : tensor<8xi1>, tensor<8xi1>
    return %1, %3 : tensor<i1>, tensor<8xi1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=8]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<5xi1>, %arg2: tensor<2x8xi1>, %arg3: tensor<2x5x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg4: tensor<f64>, %arg5: tensor<5xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg6: tensor<2x8xf64>, %arg7: tensor<2x5x12xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg8: tensor<i8>, %arg9: tensor<5xi8>, %arg10: tensor<2x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<2x5x12xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {?}]>}, %arg12: tensor<ui32>, %arg13: tensor<5xui32>, %arg14: tensor<2x8xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg15: tensor<2x5x12xui32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {}]>}) -> (tensor<2x8xf64>, tensor<2x8xi1>, tensor<2x5x12xui32>, tensor<i8>) {
    %0 = stablehlo.floor %arg6 : tensor<2x8xf64>
    %1 = sdy.manual_computation(%arg6, %0) in_shardings=[<@mesh, [{?}, {"x", ?}]>, <@mesh, [{?}, {"x", ?}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%arg16: tensor<2x1xf64>, %arg17: tensor<2x1xf64>) {
      %4 = stablehlo.compare GE, %arg16, %arg17 : (tensor<2x1xf64>, tensor<2x1xf64>) -> tensor<2x1xi1>
      sdy.return %4 : tensor<2x1xi1>
    } : (tensor<2x8xf64>, tensor<2x8xf64>) -> tensor<2x8xi1>
    %2 = stablehlo.subtract %arg15, %arg15 : tensor<2x5x12xui32>
    %3 = stablehlo.select %arg0, %arg8, %arg8 : tensor<i1>, tensor<i8>
    return %0, %1, %2, %3 : tensor<2x8xf64>, tensor<2x8xi1>, tensor<2x5x12xui32>, tensor<i8>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x12xi1>, %arg3: tensor<3x5x4xi1>, %arg4: tensor<f64>, %arg5: tensor<8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<8x12xf64>, %arg7: tensor<3x5x4xf64>, %arg8: tensor<i16>, %arg9: tensor<8xi16>, %arg10: tensor<8x12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<3x5x4xi16>, %arg12: tensor<i8>, %arg13: tensor<8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg14: tensor<8x12xi8>, %arg15: tensor<3x5x4xi8>) -> tensor<8x12xi16> {
    %c = stablehlo.constant dense<6> : tensor<8x12xi16>
    %0 = stablehlo.and %arg10, %c : tensor<8x12xi16>
    %c_0 = stablehlo.constant dense<1> : tensor<8x12xi16>
    %1 = stablehlo.or %0, %c_0 : tensor<8x12xi16>
    %2 = sdy.manual_computation(%arg10, %1) in_shardings=[<@mesh, [{"y", ?}, {"x"}]>, <@mesh, [{"y", ?}, {"x", ?}]>] out_shardings=[<@mesh, [{"y", ?}, {"x"}]>] manual_axes={"x", "y"} (%arg16: tensor<4x4xi16>, %arg17: tensor<4x4xi16>) {
      %3 = stablehlo.remainder %arg16, %arg17 : tensor<4x4xi16>
      sdy.return %3 : tensor<4x4xi16>
    } : (tensor<8x12xi16>, tensor<8x12xi16>) -> tensor<8x12xi16>
    return %2 : tensor<8x12xi16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg2: tensor<3x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"z", "x"}]>}, %arg3: tensor<12x4x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg6: tensor<3x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, %arg7: tensor<12x4x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", "x", ?}, {"z", ?}]>}, %arg8: tensor<i64>, %arg9: tensor<6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg10: tensor<3x8xi64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg11: tensor<12x4x16xi64>, %arg12: tensor<ui32>, %arg13: tensor<6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<3x8xui32>, %arg15: tensor<12x4x16xui32>) -> (tensor<12x4x16xui32>, tensor<6xui32>, tensor<6xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.manual_computation(%arg7) in_shardings=[<@mesh, [{}, {"x", ?}, {"y", "z", ?}]>] out_shardings=[<@mesh, [{?}, {"x", ?}, {"y", "z"}]>] manual_axes={"x", "y", "z"} (%arg16: tensor<12x2x4xbf16>) {
      %4 = stablehlo.convert %arg16 : (tensor<12x2x4xbf16>) -> tensor<12x2x4xui32>
      sdy.return %4 : tensor<12x2x4xui32>
    } : (tensor<12x4x16xbf16>) -> tensor<12x4x16xui32>
    %1 = stablehlo.clamp %arg15, %0, %arg15 : tensor<12x4x16xui32>
    %2 = stablehlo.and %arg13, %arg13 : tensor<6xui32>
    %3 = stablehlo.transpose %2, dims = [0] : (tensor<6xui32>) -> tensor<6xui32>
    return %1, %2, %3 : tensor<12x4x16xui32>, tensor<6xui32>, tensor<6xui32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1>, %arg2: tensor<12x12xi1>, %arg3: tensor<8x6x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"x"}]>}, %arg4: tensor<f64>, %arg5: tensor<8xf64>, %arg6: tensor<12x12xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg7: tensor<8x6x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"z", "y", ?}]>}, %arg8: tensor<i8>, %arg9: tensor<8xi8>, %arg10: tensor<12x12xi8>, %arg11: tensor<8x6x4xi8>, %arg12: tensor<i16>, %arg13: tensor<8xi16>, %arg14: tensor<12x12xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"z", "y"}]>}, %arg15: tensor<8x6x4xi16>) -> (tensor<12x12xi1>, tensor<8x6x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"z", "y"}]>}) {
    %0 = stablehlo.reverse %arg2, dims = [1] : tensor<12x12xi1>
    %1 = sdy.manual_computation(%arg7, %arg7) in_shardings=[<@mesh, [{?}, {"z", ?}, {"y", ?}]>, <@mesh, [{?}, {"z", ?}, {"y", ?}]>] out_shardings=[<@mesh, [{}, {"z"}, {"y"}]>] manual_axes={"y", "z"} (%arg16: tensor<8x3x2xf64>, %arg17: tensor<8x3x2xf64>) {
      %3 = stablehlo.add %arg16, %arg17 : tensor<8x3x2xf64>
      sdy.return %3 : tensor<8x3x2xf64>
    } : (tensor<8x6x4xf64>, tensor<8x6x4xf64>) -> tensor<8x6x4xf64>
    %cst = stablehlo.constant dense<-6.400000e+01> : tensor<f64>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f64>
    %2 = stablehlo.clamp %cst, %1, %cst_0 : (tensor<f64>, tensor<8x6x4xf64>, tensor<f64>) -> tensor<8x6x4xf64>
    return %0, %2 : tensor<12x12xi1>, tensor<8x6x4xf64>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<4xi1>, %arg2: tensor<6x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg3: tensor<12x8x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"y"}], replicated={"x"}>}, %arg4: tensor<bf16>, %arg5: tensor<4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<6x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}, %arg7: tensor<12x8x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}, {}, {?}]>}, %arg8: tensor<ui8>, %arg9: tensor<4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<6x4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg11: tensor<12x8x4xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"y"}]>}, %arg12: tensor<i32>, %arg13: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg14: tensor<6x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg15: tensor<12x8x4xi32>) -> tensor<6x4xbf16> {
    %0 = sdy.manual_computation(%arg6) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%arg16: tensor<2x4xbf16>) {
      %2 = stablehlo.reduce_precision %arg16, format = e8m8 : tensor<2x4xbf16>
      sdy.return %2 : tensor<2x4xbf16>
    } : (tensor<6x4xbf16>) -> tensor<6x4xbf16>
    %cst = stablehlo.constant dense<-6.400000e+01> : tensor<bf16>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<bf16>
    %1 = stablehlo.clamp %cst, %0, %cst_0 : (tensor<bf16>, tensor<6x4xbf16>, tensor<bf16>) -> tensor<6x4xbf16>
    return %1 : tensor<6x4xbf16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<16x12xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, %arg3: tensor<8x2x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}, {?}, {}]>}, %arg4: tensor<f32>, %arg5: tensor<8xf32>, %arg6: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %arg7: tensor<8x2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {?}, {?}]>}, %arg8: tensor<ui8>, %arg9: tensor<8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<16x12xui8>, %arg11: tensor<8x2x3xui8> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}, {}]>}, %arg12: tensor<i64>, %arg13: tensor<8xi64>, %arg14: tensor<16x12xi64>, %arg15: tensor<8x2x3xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {?}, {}]>}) -> tensor<8x2x3xi64> {
    %c = stablehlo.constant dense<6> : tensor<8x2x3xi64>
    %0 = stablehlo.and %arg15, %c : tensor<8x2x3xi64>
    %c_0 = stablehlo.constant dense<1> : tensor<8x2x3xi64>
    %1 = stablehlo.or %0, %c_0 : tensor<8x2x3xi64>
    %2 = sdy.manual_computation(%arg15, %1) in_shardings=[<@mesh, [{"x", "y"}, {?}, {?}]>, <@mesh, [{"x", "y"}, {}, {}]>] out_shardings=[<@mesh, [{"x", "y", ?}, {}, {}]>] manual_axes={"x", "y"} (%arg16: tensor<1x2x3xi64>, %arg17: tensor<1x2x3xi64>) {
      %3 = stablehlo.remainder %arg16, %arg17 : tensor<1x2x3xi64>
      sdy.return %3 : tensor<1x2x3xi64>
    } : (tensor<8x2x3xi64>, tensor<8x2x3xi64>) -> tensor<8x2x3xi64>
    return %2 : tensor<8x2x3xi64>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<8x5xi1>, %arg3: tensor<3x16x6xi1>, %arg4: tensor<f32>, %arg5: tensor<8xf32>, %arg6: tensor<8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %arg7: tensor<3x16x6xf32>, %arg8: tensor<i16>, %arg9: tensor<8xi16>, %arg10: tensor<8x5xi16>, %arg11: tensor<3x16x6xi16>, %arg12: tensor<ui64>, %arg13: tensor<8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}, %arg14: tensor<8x5xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, %arg15: tensor<3x16x6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}, {?}]>}) -> tensor<8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
    %0 = sdy.manual_computation(%arg5, %arg5) in_shardings=[<@mesh, [{"y"}]>, <@mesh, [{"y", ?}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"x", "y"} (%arg16: tensor<4xf32>, %arg17: tensor<4xf32>) {
      %2 = stablehlo.add %arg16, %arg17 : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<-6.400000e+01> : tensor<f32>
    %cst_1 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %1 = stablehlo.clamp %cst_0, %0, %cst_1 : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}], replicated={"y"}>}, %arg2: tensor<16x3xi1>, %arg3: tensor<8x4x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}, {?}], replicated={"z"}>}, %arg4: tensor<bf16>, %arg5: tensor<2xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"z", ?}]>}, %arg6: tensor<16x3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg7: tensor<8x4x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z"}, {?}]>}, %arg8: tensor<ui16>, %arg9: tensor<2xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"x"}>}, %arg10: tensor<16x3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg11: tensor<8x4x16xui16>, %arg12: tensor<i8>, %arg13: tensor<2xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg14: tensor<16x3xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg15: tensor<8x4x16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"x", ?}]>}) -> (tensor<bf16>, tensor<i1>, tensor<2xui16> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"y"}>}) {
    %0 = stablehlo.negate %arg4 : tensor<bf16>
    %1 = stablehlo.add %arg0, %arg0 : tensor<i1>
    %2 = stablehlo.convert %arg1 : (tensor<2xi1>) -> tensor<2xui16>
    %3 = sdy.manual_computation(%2, %arg9) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x", ?}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%arg16: tensor<1xui16>, %arg17: tensor<1xui16>) {
      %4 = stablehlo.or %arg16, %arg17 : tensor<1xui16>
      sdy.return %4 : tensor<1xui16>
    } : (tensor<2xui16>, tensor<2xui16>) -> tensor<2xui16>
    return %0, %1, %3 : tensor<bf16>, tensor<i1>, tensor<2xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 6 : i32} {
  sdy.mesh @mesh = <["x"=3, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>}, %arg2: tensor<8x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<6x12x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<6xf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg6: tensor<8x6xf16>, %arg7: tensor<6x12x8xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}, {}]>}, %arg8: tensor<ui8>, %arg9: tensor<6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg10: tensor<8x6xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", "y"}]>}, %arg11: tensor<6x12x8xui8> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", "x"}, {?}]>}, %arg12: tensor<i16>, %arg13: tensor<6xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<8x6xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, %arg15: tensor<6x12x8xi16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}) -> tensor<8x6xui8> {
    %c = stablehlo.constant dense<6> : tensor<8x6xui8>
    %0 = stablehlo.and %arg10, %c : tensor<8x6xui8>
    %c_0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}], replicated={"x"}>]>} dense<1> : tensor<8x6xui8>
    %1 = sdy.manual_computation(%0, %c_0) in_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{"y"}, {?}]>] out_shardings=[<@mesh, [{"y"}, {?}]>] manual_axes={"y"} (%arg16: tensor<4x6xui8>, %arg17: tensor<4x6xui8>) {
      %3 = stablehlo.or %arg16, %arg17 : tensor<4x6xui8>
      sdy.return %3 : tensor<4x6xui8>
    } : (tensor<8x6xui8>, tensor<8x6xui8>) -> tensor<8x6xui8>
    %2 = stablehlo.divide %arg10, %1 : tensor<8x6xui8>
    return %2 : tensor<8x6xui8>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg2: tensor<16x3xi1>, %arg3: tensor<8x5x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", "z"}, {}, {}]>}, %arg4: tensor<f16>, %arg5: tensor<16xf16>, %arg6: tensor<16x3xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg7: tensor<8x5x6xf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x", ?}]>}, %arg8: tensor<i8>, %arg9: tensor<16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", "z"}]>}, %arg10: tensor<16x3xi8>, %arg11: tensor<8x5x6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}, %arg12: tensor<ui64>, %arg13: tensor<16xui64>, %arg14: tensor<16x3xui64>, %arg15: tensor<8x5x6xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}) -> (tensor<16x3xf16>, tensor<16xi8>, tensor<i1>) {
    %0 = stablehlo.abs %arg6 : tensor<16x3xf16>
    %1 = sdy.manual_computation(%arg9) in_shardings=[<@mesh, [{"x", "y", "z", ?}]>] out_shardings=[<@mesh, [{"x", "y", "z"}]>] manual_axes={"x", "y", "z"} (%arg16: tensor<2xi8>) {
      %4 = stablehlo.convert %arg16 : tensor<2xi8>
      sdy.return %4 : tensor<2xi8>
    } : (tensor<16xi8>) -> tensor<16xi8>
    %2 = stablehlo.shift_right_arithmetic %1, %arg9 : tensor<16xi8>
    %3 = stablehlo.compare NE, %arg8, %arg8 : (tensor<i8>, tensor<i8>) -> tensor<i1>
    return %0, %2, %3 : tensor<16x3xf16>, tensor<16xi8>, tensor<i1>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %arg2: tensor<8x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}, {?}]>}, %arg3: tensor<2x8x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg4: tensor<bf16>, %arg5: tensor<6xbf16>, %arg6: tensor<8x4xbf16>, %arg7: tensor<2x8x3xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", "y", ?}, {}]>}, %arg8: tensor<ui16>, %arg9: tensor<6xui16>, %arg10: tensor<8x4xui16>, %arg11: tensor<2x8x3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg12: tensor<i32>, %arg13: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg15: tensor<2x8x3xi32>) -> (tensor<6xui16>, tensor<6xui16>, tensor<6xui16>, tensor<2x8x3xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}, {}]>}) {
    %0 = sdy.manual_computation(%arg9, %arg9) in_shardings=[<@mesh, [{"y", ?}]>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y", ?}]>] manual_axes={"x", "y"} (%arg16: tensor<3xui16>, %arg17: tensor<3xui16>) {
      %5 = stablehlo.subtract %arg16, %arg17 : tensor<3xui16>
      sdy.return %5 : tensor<3xui16>
    } : (tensor<6xui16>, tensor<6xui16>) -> tensor<6xui16>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg16: tensor<6xui16>) {
      %5 = stablehlo.not %arg16 : tensor<6xui16>
      sdy.return %5 : tensor<6xui16>
    } : (tensor<6xui16>) -> tensor<6xui16>
    %2 = stablehlo.multiply %1, %1 : tensor<6xui16>
    %3 = stablehlo.optimization_barrier %arg11 : tensor<2x8x3xui16>
    %4 = sdy.sharding_constraint %3 <@mesh, [{}, {"y", "x"}, {?}]> : tensor<2x8x3xui16>
    return %0, %1, %2, %4 : tensor<6xui16>, tensor<6xui16>, tensor<6xui16>, tensor<2x8x3xui16>
  }
}
// -----
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<12x8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"z", "x"}, {}]>}, %arg3: tensor<8x3x16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"y", "z", "x"}]>}, %arg4: tensor<f64>, %arg5: tensor<16xf64>, %arg6: tensor<12x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, %arg7: tensor<8x3x16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {}]>}, %arg8: tensor<ui64>, %arg9: tensor<16xui64>, %arg10: tensor<12x8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "x"}]>}, %arg11: tensor<8x3x16xui64>, %arg12: tensor<ui32>, %arg13: tensor<16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg14: tensor<12x8xui32>, %arg15: tensor<8x3x16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "z"}, {?}, {}]>}) -> (tensor<8x3x16xui64>, tensor<1x12x8xui32>, tensor<8x3x16xui64>) {
    %0 = stablehlo.reverse %arg11, dims = [2] : tensor<8x3x16xui64>
    %1 = stablehlo.broadcast_in_dim %arg14, dims = [1, 2] : (tensor<12x8xui32>) -> tensor<1x12x8xui32>
    %2 = stablehlo.convert %arg7 : (tensor<8x3x16xf64>) -> tensor<8x3x16xui64>
    %3 = sdy.manual_computation(%0, %0) in_shardings=[<@mesh, [{}, {}, {"x"}]>, <@mesh, [{}, {}, {"x"}]>] out_shardings=[<@mesh, [{}, {}, {"x"}]>] manual_axes={"x"} (%arg16: tensor<8x3x8xui64>, %arg17: tensor<8x3x8xui64>) {
      %4 = stablehlo.add %arg16, %arg17 : tensor<8x3x8xui64>
      sdy.return %4 : tensor<8x3x8xui64>
    } : (tensor<8x3x16xui64>, tensor<8x3x16xui64>) -> tensor<8x3x16xui64>
    return %0, %1, %3 : tensor<8x3x16xui64>, tensor<1x12x8xui32>, tensor<8x3x16xui64>
  }
}
