// Accuracies, composites, custom calls, symbols, literals at the extremes, and what is missing.
func.func @f(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.async_start"(%a) ({ ^bb0(%x: tensor<2xf32>): %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32> }) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<2xf32>
  %1 = stablehlo.cosine %0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  return %1 : tensor<2xf32>
}
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "foo.bar" %a {composite_attributes = {n = 1 : i32}, decomposition = @g, version = 3 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "bar" %a {decomposition = @g} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "foo.bar" %a {decomposition = @h} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "foo.bar" %a {decomposition = @g, version = -1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }
// -----
func.func @f(%a: tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<3xf32>> {
  %0 = "stablehlo.custom_call"(%a) <{call_target_name = "foo", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]}> : (tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<3xf32>>
  return %0 : tuple<tensor<2xf32>, tensor<3xf32>>
}
// -----
func.func @f(%a: tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<3xf32>> {
  %0 = "stablehlo.custom_call"(%a) <{call_target_name = "foo", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]}> : (tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<3xf32>>
  return %0 : tuple<tensor<2xf32>, tensor<3xf32>>
}
// -----
func.func @f(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], called_computations = [@f, @g], api_version = 4 : i32, backend_config = {a = 1 : i32}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
func.func @f(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
func.func @f(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @foo(%a) {api_version = 1 : i32, backend_config = {a = 1 : i32}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
func.func @f(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @foo(%a) {api_version = 4 : i32, backend_config = "x"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
func.func public @f(%a: tensor<2xf32> {tf.x = 1 : i32, mhlo.sharding = "{replicated}"}, %b: tensor<i1> {x.y}) -> (tensor<2xf32> {jax.result_info = "r"}, tensor<i1>) attributes {a.b = [1, 2.0, "x", @s, true, unit, i32, {c = 1 : i8}]} {
  return %a, %b : tensor<2xf32>, tensor<i1>
}
// -----
module @outer attributes {x.y = 1 : i32} {
  module @inner { func.func private @g() }
  module { }
  func.func nested @h()
  func.func private @k(tensor<f32> {a.b}, tensor<2xi32>) -> (tensor<f32> {c.d})
}
// -----
func.func @f() { return }
func.func @f() { return }
// -----
func.func @f() { call @nope() : () -> () 
 return }
// -----
func.func @f(%a: tensor<f32>) { call @g(%a) : (tensor<f32>) -> ()
 return }
func.func private @g(tensor<i32>)
// -----
func.func @f() {
  %0 = stablehlo.add %1, %1 : tensor<f32>
  %1 = stablehlo.constant dense<1.0> : tensor<f32>
  return
}
// -----
func.func @f() {
  %1 = stablehlo.constant dense<1.0> : tensor<f32>
}
// -----
func.func @f() -> tensor<f32> {
  return
}
// -----
func.func @f() {
  return
  %1 = stablehlo.constant dense<1.0> : tensor<f32>
}
// -----
func.func @f(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({ "x.y"() : () -> () }, { stablehlo.return }) : (tensor<i1>) -> ()
  return
}
// -----
func.func @f(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({ }, { stablehlo.return }) : (tensor<i1>) -> ()
  return
}
// -----
func.func @f() {
  %0 = stablehlo.constant dense<[0x7FC00000, 0xFF800000, 0x00000001, -0.0]> : tensor<4xf32>
  %1 = stablehlo.constant dense<[0x7E00, 0xFC00, 0x0001, 65504.0]> : tensor<4xf16>
  %2 = stablehlo.constant dense<[0x7FC0, 0xFF80, 0x0001]> : tensor<3xbf16>
  %3 = stablehlo.constant dense<[0x7FF8000000000000, 0x1, 1.0e300]> : tensor<3xf64>
  %4 = stablehlo.constant dense<[0x7F, 0x01, 448.0]> : tensor<3xf8E4M3FN>
  %5 = stablehlo.constant dense<[0x7F, 0x01, 0x80]> : tensor<3xf8E5M2>
  %6 = stablehlo.constant dense<[0x80, 0x01]> : tensor<2xf8E5M2FNUZ>
  %7 = stablehlo.constant dense<[0x80, 0x01]> : tensor<2xf8E4M3B11FNUZ>
  %8 = stablehlo.constant dense<[0x7, 0x1, 0xF]> : tensor<3xf4E2M1FN>
  %9 = stablehlo.constant dense<[0x3F, 0x1]> : tensor<2xf6E2M3FN>
  %10 = stablehlo.constant dense<[0x3F, 0x1]> : tensor<2xf6E3M2FN>
  %11 = stablehlo.constant dense<[0x3F, 0xFF]> : tensor<2xf8E8M0FNU>
  %12 = stablehlo.constant dense<[0x3F, 0x70]> : tensor<2xf8E3M4>
  %13 = stablehlo.constant dense<[0x3F, 0x78]> : tensor<2xf8E4M3>
  return
}
// -----
func.func @f() {
  %0 = stablehlo.constant dense<[-128, 127]> : tensor<2xi8>
  %1 = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
  %2 = stablehlo.constant dense<[0, 18446744073709551615]> : tensor<2xui64>
  %3 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
  %4 = stablehlo.constant dense<[-2, 1]> : tensor<2xi2>
  %5 = stablehlo.constant dense<[0, 3]> : tensor<2xui2>
  %6 = stablehlo.constant dense<[0xFF, 0x7F]> : tensor<2xi8>
  return
}
// -----
func.func @f() { %0 = stablehlo.constant dense<256> : tensor<2xi8>
 return }
// -----
func.func @f() { %0 = stablehlo.constant dense<255> : tensor<2xi8>
 return }
// -----
func.func @f() { %0 = stablehlo.constant dense<-1> : tensor<2xui8>
 return }
// -----
func.func @f() { %0 = stablehlo.constant dense<-129> : tensor<2xi8>
 return }
// -----
func.func @f() { %0 = stablehlo.constant dense<> : tensor<0x3xf32>
 %1 = stablehlo.constant dense<[]> : tensor<0xf32>
 %2 = stablehlo.constant dense<1.0> : tensor<0xf32>
 %3 = stablehlo.constant dense<[[],[]]> : tensor<2x0xi32>
 return }
// -----
func.func @f() { %0 = stablehlo.constant dense<> : tensor<2xf32>
 return }
// -----
func.func @f() { %0 = stablehlo.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
 %1 = stablehlo.constant dense<[(1.0, 2.0), (3.0, -0.0)]> : tensor<2xcomplex<f64>>
 %2 = stablehlo.constant dense<(1, 2)> : tensor<2xcomplex<i32>>
 return }
// -----
func.func @f() { %0 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
 %1 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<complex<f32>>
 %2 = stablehlo.constant dense<"0x01"> : tensor<4xi1>
 return }
// -----
func.func @f(%a: tuple<tuple<>, tuple<tensor<f32>, tuple<!stablehlo.token>>>) { return }
// -----
func.func @f(%a: tensor<*xf32>) -> tensor<*xf32> { return %a : tensor<*xf32> }
// -----
func.func @f(%a: tensor<*xf32>) -> tensor<*xf32> { %0 = stablehlo.abs %a : tensor<*xf32>
 return %0 : tensor<*xf32> }
// -----
func.func @"héllo wörld"() attributes {a.s = "tab\09nl\0A\22quote\5C ünï"} { return }
// -----
"builtin.module"() ({ "func.func"() <{function_type = () -> (), sym_name = "f"}> ({ ^bb0: "func.return"() : () -> () }) : () -> () }) : () -> ()
// -----
func.func @f(%a: tensor<2xf32>) { 
  "x.y"(%a)[^bb1] : (tensor<2xf32>) -> ()
^bb1:
  return }
// -----
module attributes {r = dense_resource<foo> : tensor<2xf32>} { func.func @f() { return } }
{-# dialect_resources: { builtin: { foo: "0x040000000000803F00000040" } } #-}
// -----
func.func @f(%t: !stablehlo.token) -> !stablehlo.token {
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "x", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %1 = "stablehlo.outfeed"(%0#0, %0#1) <{outfeed_config = ""}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  %2:2 = "stablehlo.recv"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  %3 = "stablehlo.send"(%2#0, %2#1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  %4 = stablehlo.after_all %3, %t : !stablehlo.token
  %5 = stablehlo.create_token : !stablehlo.token
  return %4 : !stablehlo.token
}
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.custom_call"(%a) <{call_target_name = "foo"}> ({ ^bb0(%x: tensor<f32>): stablehlo.return %x : tensor<f32> }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.composite"(%a) <{name = "a.b", decomposition = @g}> ({ ^bb0(%x: tensor<f32>): stablehlo.return %x : tensor<f32> }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }
// -----
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = stablehlo.add %a, %a : tensor<2xf32>
  return %0#0 : tensor<2xf32>
}
// -----
func.func @f(%a: tensor<2xf32>, %a: tensor<2xf32>) { return }
// -----
func.func @f(%a: tensor<2xf32>) { 
  %a = stablehlo.abs %a : tensor<2xf32>
  return }
// -----
func.func @f() {
  %0 = arith.constant 1 : ui1
  return
}
// -----
func.func @f() {
  %0 = arith.constant 3 : i3
  %1 = arith.constant 340282366920938463463374607431768211455 : i128
  return
}
