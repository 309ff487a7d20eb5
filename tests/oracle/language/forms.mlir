module @outer attributes {a.b = 1 : i32} {
  module @inner attributes {a.c} {
    func.func nested @f() { return }
  }
  module @other {
  }
}
// -----
func.func @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}
// -----
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = true> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// -----
func.func @f(%x: tensor<1x5x5x2xf32>, %k: tensor<3x3x1x4xf32>) -> tensor<1x4x9x4xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[2, 1], [0, 2]], lhs_dilate = [1, 2], rhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x5x5x2xf32>, tensor<3x3x1x4xf32>) -> tensor<1x3x9x4xf32>
  return
}
// -----
func.func @f(%x: tensor<1x5x5x2xf32>, %k: tensor<3x3x1x4xf32>) -> tensor<1x3x9x4xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 2], rhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x5x5x2xf32>, tensor<3x3x1x4xf32>) -> tensor<1x3x9x4xf32>
  return %0 : tensor<1x3x9x4xf32>
}
// -----
func.func @f(%x: tensor<2x3xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f]x[i, o]->[b, f], window = {stride = [], pad = [], lhs_dilate = [], rhs_dilate = [], reverse = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// -----
func.func private @a(tensor<f32> {x.y = 1 : i32}, i32) -> (tensor<f32> {x.z = "q"}, tensor<2xi1>) attributes {x.w = [1, 2.0, "t", @a, unit, {k = 1 : i8}]}
func.func private @b() -> ((i32) -> i32)
func.func private @c((i32) -> (), () -> (i1, i1)) -> (tensor<f32> {a.b})
func.func public @d(%arg0: tensor<f32> {a.b = true}, %arg1: tensor<f32>) -> (tensor<f32> {a.c = false}, tensor<f32>) {
  return %arg1, %arg0 : tensor<f32>, tensor<f32>
}
// -----
module attributes {
  a.a = array<i8: -128, 127, 255>, a.b = array<i16: 1>, a.c = array<f16: 1.0, -0.5>, a.d = array<bf16: 3.0e38>, a.e = array<i1: true, false>,
  a.f = array<f64>, a.g = [], a.h = {}, a.i = "a\0Ab\22c\\d\t", a.j = -9223372036854775808 : i64, a.k = 18446744073709551615 : ui64,
  a.l = 0x7F800000 : f32, a.m = 0xFFC00000 : f32, a.n = 0x7F800001 : f32, a.o = 1.0e-45 : f32, a.p = 16777216.0 : f32, a.q = 123456789.0 : f64,
  a.r = 1.5e300 : f64, a.s = 0.1 : f16, a.t = -0.0 : bf16, a.u = 1 : index, a.v = -1 : si8, a.w = 255 : ui8, a.x = true, a.y = 65504.0 : f16,
  a.z = 448.0 : f8E4M3FN, b.a = 0x7F : f8E4M3FN, b.b = 57344.0 : f8E5M2, b.c = 0xFC : f8E5M2, b.d = 0.0009765625 : f8E4M3B11FNUZ,
  b.e = 240.0 : f8E4M3FNUZ, b.f = 0x80 : f8E5M2FNUZ, b.g = 15.5 : f8E3M4, b.h = 0x01 : f8E8M0FNU, b.i = 6.0 : f4E2M1FN, b.j = 7.5 : f6E2M3FN, b.k = 28.0 : f6E3M2FN,
  b.l = 1.0 : f80, b.m = 1.0 : f128, b.n = 1.0 : tf32, b.o = 0.1 : f80, b.p = 0.1 : f128, b.q = 1.0e100 : f128
} {
}
// -----
module attributes {
  a.a = dense<[1.0, 0x7F800000, -0.0]> : tensor<3xf32>, a.b = dense<(1.0, -2.0)> : tensor<2xcomplex<f32>>, a.c = dense<[(1, 2), (3, 4)]> : tensor<2xcomplex<i32>>,
  a.d = dense<true> : tensor<4xi1>, a.e = dense<[true, false, true]> : tensor<3xi1>, a.f = dense<"0x01000000FFFFFFFF"> : tensor<2xi32>,
  a.g = dense<> : tensor<0x3xf32>, a.h = dense<[]> : tensor<0xi8>, a.i = dense<[[1], [2]]> : tensor<2x1xui8>, a.j = dense<-1> : tensor<2xsi16>,
  a.k = dense<[0, 1, -2, -1]> : tensor<4xi2>, a.l = dense<[0, 3]> : tensor<2xui2>, a.m = dense<[7, -8]> : tensor<2xi4>, a.n = dense<[15, 0]> : tensor<2xui4>,
  a.q = dense<1.0> : tensor<2xf8E8M0FNU>, a.r = dense<[0.5, 6.0]> : tensor<2xf4E2M1FN>,
  a.s = dense<[1.0, 2.5]> : tensor<2xf80>, a.t = dense<[1.0, 0.1]> : tensor<2xf128>, a.u = dense<[1, -1]> : tensor<2xi128>, a.v = dense<[1, 2]> : tensor<2xi7>,
  a.w = dense<[1.0, 2.0]> : tensor<2xtf32>, a.x = dense<[1, 2]> : tensor<2xindex>, a.y = sparse<[[0, 1], [1, 0]], [1.0, 2.0]> : tensor<2x2xf32>, a.z = sparse<0, 3> : tensor<2xi32>,
  b.a = dense<[1, 2]> : tensor<2xui128>, b.b = dense<[1.0, 7.5]> : tensor<2xf6E2M3FN>, b.c = dense<[1.0, 28.0]> : tensor<2xf6E3M2FN>, b.d = dense<[0.1, 3.14159274]> : tensor<2xf32>
} {
}
// -----
#map = affine_map<(d0, d1)[s0] -> (d0 + s0, d1 mod 2, d0 floordiv 3, d1 ceildiv 4, 5)>
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 - 2 == 0)>
#alias = [1, 2]
!t = tensor<2xf32>
module attributes {a.a = #map, a.b = #set, a.c = #alias, a.d = !t, a.g = distinct[3]<unit>, a.h = distinct[4]<"v">} {
  func.func @f(%x: !t) -> !t { return %x : !t }
}
// -----
func.func @f(%x: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.constant dense_resource<blob> : tensor<2xi8>
  %1 = stablehlo.add %x, %0 {a.b = [dense_resource<"other blob"> : tensor<1xi8>], a.c = {k = dense_resource<third> : tensor<1xi8>}} : tensor<2xi8>
  return %1 : tensor<2xi8>
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x010000000102",
      "other blob": "0x0400000003",
      third: "0x08000000ff",
      unused: "0x0100000005"
    }
  },
  external_resources: {
    x: { y: "0x00", b: true }
  }
#-}
// -----
func.func @f(%a: tensor<f32>) {
  "test.op"(%a) ({
  ^bb0(%b: tensor<f32> loc("b"), %c: i32):
    "test.br"(%b)[^bb2, ^bb1] : (tensor<f32>) -> ()
  ^bb1:
    "test.x"() : () -> ()
  ^bb2(%d: tensor<f32>):
    "test.br"(%d)[^bb2] : (tensor<f32>) -> ()
  }) : (tensor<f32>) -> ()
  return
}
// -----
func.func @f(%p: i1, %s: i32, %a: tensor<f32>) -> tensor<f32> {
  cf.switch %s : i32, [
    default: ^bb1(%a : tensor<f32>),
    42: ^bb2,
    -3: ^bb1(%a : tensor<f32>),
    0: ^bb2
  ]
^bb1(%b: tensor<f32>):
  cf.cond_br %p, ^bb1(%b : tensor<f32>), ^bb2
^bb2:
  cf.br ^bb3(%a : tensor<f32>)
^bb3(%c: tensor<f32>):
  return %c : tensor<f32>
}
// -----
func.func @f(%s: i1, %t: i8) {
  cf.switch %s : i1, [
    default: ^bb1,
    1: ^bb1,
    0: ^bb2
  ]
^bb1:
  cf.switch %t : i8, [
    default: ^bb2
  ]
^bb2:
  cf.switch %t : i8, [
    default: ^bb3,
    255: ^bb3,
    127: ^bb3
  ]
^bb3:
  return
}
// -----
func.func @f(%x: tensor<8xf32>, %y: tensor<8xi32>, %z: tensor<f32>, %w: tensor<i32>) -> tensor<f32> {
  %0:2 = stablehlo.reduce(%x init: %z), (%y init: %w) across dimensions = [0] {a.b = 1 : i32} : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1, %d : tensor<f32>, tensor<i32>
  }
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.minimum across dimensions = [0] {a.c} : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
// -----
func.func @f(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:3 = "test.op"(%x) {a = 1 : i64} : (tensor<f32>) -> (tensor<f32>, i1, tensor<f32>)
  %1 = "stablehlo.custom_call"(%0#2) <{call_target_name = "t", api_version = 4 : i32, backend_config = {k = 1 : i32}, operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}> : (tensor<f32>) -> tensor<f32>
  return %0#0, %1 : tensor<f32>, tensor<f32>
}
// -----
func.func @f(%x: tensor<f32>, %y: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %0 = stablehlo.custom_call @t(%x, %y) {called_computations = [@f], custom_call_schedule = #stablehlo<custom_call_schedule LATEST>, has_side_effect = true, backend_config = "c", api_version = 1 : i32} : (tensor<f32>, tensor<4xf32>) -> tuple<tensor<f32>, tensor<4xf32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<f32>, tensor<4xf32>>) -> tensor<f32>
  %2 = stablehlo.get_tuple_element %0[1] {a.b} : (tuple<tensor<f32>, tensor<4xf32>>) -> tensor<4xf32>
  return %1, %2 : tensor<f32>, tensor<4xf32>
}
// -----
func.func @f(%x: tensor<4x8xf32>, %i: tensor<i64>, %z: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 3] : (tensor<4x8xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %i, %i : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x8xf32>
  %2 = stablehlo.pad %1, %z, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8x9xf32>
  %3 = stablehlo.slice %2 [1:7:3, 0:9] : (tensor<8x9xf32>) -> tensor<2x9xf32>
  %4 = stablehlo.compare TOTALORDER, %3, %3 : (tensor<2x9xf32>, tensor<2x9xf32>) -> tensor<2x9xi1>
  return %z : tensor<f32>
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<4xi32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %x, %x, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare GE, %y, %y, SIGNED {a.b} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %2 = stablehlo.compare EQ, %y, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %3 = stablehlo.reduce_precision %x, format = e5m10 {a.b} : tensor<4xf32>
  %4 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 0.000000e+00, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %5 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %6 = stablehlo.iota dim = 0 : tensor<4xi32>
  %7 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  %8, %9 = stablehlo.rng_bit_generator %10, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  return %2 : tensor<4xi1>
}
// -----
func.func @f(%x: tensor<4x3x!quant.uniform<i8<-127:127>:f32:1, {0.1:-3, 2.0, 3.5e-05:7}>>, %y: tensor<?x!quant.uniform<u8:f16, 1.5>>) -> tensor<4x3x!quant.uniform<i8<-127:127>:f32:1, {0.1:-3, 2.0, 3.5e-05:7}>> {
  return %x : tensor<4x3x!quant.uniform<i8<-127:127>:f32:1, {0.1:-3, 2.0, 3.5e-05:7}>>
}
// -----
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.abs %x : tensor<f32> loc("a"("f.py":1:2))
  %1 = stablehlo.abs %0 : tensor<f32> loc(callsite("g" at callsite("h" at "f.py":3:4)))
  %2 = stablehlo.abs %1 : tensor<f32> loc(fused<{k = 1 : i32}>["x", "f.py":5:6 to 7:8])
  %3 = stablehlo.abs %2 : tensor<f32> loc(fused["y", "z"])
  %4 = stablehlo.abs %3 : tensor<f32> loc(#loc1)
  return %4 : tensor<f32> loc("f.py":9:1 to :4)
} loc("whole")
#loc = loc("f.py":10:11)
#loc1 = loc("named"(#loc))
// -----
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.abs %x : tensor<f32> loc(#loc1)
  return %0 : tensor<f32>
}
#loc1 = loc(#loc2)
#loc2 = loc(#loc1)
// -----
func.func @f(%arg0: tensor<?x3xf32, #stablehlo.bounds<5, ?>>, %arg1: tensor<2xf32, #stablehlo.bounds<?>>, %arg2: tensor<?xf32, #stablehlo.type_extensions<bounds = [3]>>) { return }
