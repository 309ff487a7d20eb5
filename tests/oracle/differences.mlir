// while-types
func.func @f(%a: tensor<?x4xf32>) {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<?x4xf32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
  ^bb0(%x: tensor<?x4xf32>):
    stablehlo.return %x : tensor<?x4xf32>
  }) : (tensor<?x4xf32>) -> tensor<?x?xf32>
  return
}
// -----
// location-attribute
func.func @f() attributes {a = loc("a.py":1:2)} {
  return
}
// -----
// affine-sums
func.func @f(%a: memref<2xf32, affine_map<(d0) -> (d0 + 1 + 1)>>) {
  return
}
// -----
// affine-names
func.func @f(%a: memref<2xf32, affine_map<(d0) -> (d0 + s0)>>) {
  return
}
// -----
// no-bits
func.func @f() attributes {a = 0 : i0} {
  return
}
// -----
// unregistered-attributes
func.func @f() attributes {a = !foo.bar<baz>, b = #foo.bar<1 + "a">} {
  return
}
// -----
// hex-distinct
func.func @f() attributes {a = distinct[0x1F]<unit>} {
  return
}
// -----
// dense-lists
func.func @f(%a: tensor<2x3xf32>) {
  %0 = "stablehlo.transpose"(%a) <{permutation = dense<[1, 0]> : tensor<2xi64>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// -----
// clamp-bounds
func.func @f(%a: tensor<?xf32, #stablehlo.bounds<4>>) {
  %0 = stablehlo.clamp %a, %a, %a : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<6xf32>
  return
}
// -----
// if-bounds
func.func @f(%p: tensor<i1>, %a: tensor<6xf32>, %b: tensor<?xf32>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<6xf32>
  }, {
    stablehlo.return %b : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32, #stablehlo.bounds<3>>
  return
}
// -----
// fft-bounds
func.func @f(%a: tensor<?x4xcomplex<f32>, #stablehlo.bounds<4, ?>>) {
  %0 = stablehlo.fft %a, type = FFT, length = [4] : (tensor<?x4xcomplex<f32>, #stablehlo.bounds<4, ?>>) -> tensor<6x4xcomplex<f32>>
  return
}
// -----
// all_to_all-bounds
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<4x6xf32>
  return
}
// -----
// elided-constant
func.func @f() -> tensor<9xf32> {
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<9xf32>
  return %0 : tensor<9xf32>
}
// -----
// switch-negative-cases
func.func @f(%k: i64) {
  cf.switch %k : i64, [default: ^bb1, -1: ^bb1]
^bb1:
  return
}
// -----
// switch-wide-cases
func.func @f(%k: i128) {
  cf.switch %k : i128, [default: ^bb1, -1: ^bb1]
^bb1:
  return
}
// -----
// switch-result-numbers
func.func private @g() -> (i32, i32)
func.func @f(%k: i32) {
  %a:2 = call @g() : () -> (i32, i32)
  "cf.switch"(%k, %a#1)[^bb1] <{case_operand_segments = array<i32>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()
^bb1(%x: i32):
  return
}
