func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2x3xcomplex<f32>>, %s: tensor<f32>, %p: tensor<i1>, %n: tensor<2xi64>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = chlo.broadcast_compare %a, %s {comparison_direction = #chlo<comparison_direction EQ>, compare_type = #chlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>
  %3 = chlo.acos %a : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = chlo.erf %a : tensor<2x3xf32> -> tensor<2x3xf32>
  %q:2 = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %values, %indices = chlo.top_k(%a, k = 2) {foo} : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %8 = chlo.constant dense<1.0> : tensor<f32>
  %9 = "chlo.constant_like"(%a) <{value = 1.0 : f32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = chlo.is_inf %a : tensor<2x3xf32> -> tensor<2x3xi1>
  %11 = chlo.next_after %a, %a : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %12 = chlo.zeta %a, %a : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %13 = chlo.broadcast_select %p, %a, %s : (tensor<i1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %15 = chlo.conj %c : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %16 = chlo.square %a : tensor<2x3xf32> -> tensor<2x3xf32>
  %17 = chlo.bessel_i1e %a : tensor<2x3xf32> -> tensor<2x3xf32>
  %18 = chlo.broadcast_complex %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  func.return
}

// -----

func.func @f(%a: tensor<?x3xf32>, %b: tensor<*xf32>, %s: tensor<f32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<?x3xf32>, tensor<*xf32>) -> tensor<*xf32>
  %1 = chlo.broadcast_add %a, %s : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  %2 = chlo.tan %b : tensor<*xf32> -> tensor<*xf32>
  %3 = "chlo.constant_like"(%b) <{value = 1.0 : f32}> : (tensor<*xf32>) -> tensor<*xf32>
  func.return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<f32>) {
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 attributes {is_reverse = true} {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z, %z : tensor<f32>, tensor<f32>
  } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  func.return
}

// -----

func.func @f(%a: tensor<2x11x5xf32>, %b: tensor<3x2x5x7xf32>, %g: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<2x11x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x11x7xf32>
  func.return
}

// -----

module @m attributes {mhlo.num_partitions = 2 : i32, sdy.mesh = #sdy.mesh<["a"=2]>, jax.uses_shape_polymorphism = true} {
  func.func public @main(%arg0: tensor<2xf32> {mhlo.sharding = "{replicated}", jax.buffer_donor = true, tf.aliasing_output = 0 : i32}) -> (tensor<2xf32> {jax.result_info = "result"}) attributes {foo.bar = 1 : i32} {
    return %arg0 : tensor<2xf32>
  }
  func.func private @g(tensor<2xf32>) -> tensor<2xf32>
  func.func private @h(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0:2 = call @h(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %1 = func.call @g(%0#1) {foo.x} : (tensor<2xf32>) -> tensor<2xf32>
    return %0#0, %1 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

module {
  module @inner {
    func.func nested @f() { return }
  }
  func.func @g() attributes {llvm.x, no_inline} { return }
  func.func private @k(tensor<f32> {a.b = 1 : i32}, i32) -> (tensor<f32> {c.d})
}

// -----

func.func @f() -> tensor<2xf32> {
  %cst = stablehlo.constant dense<[0x7FC00000, 0xFF800000]> : tensor<2xf32>
  %0 = stablehlo.constant dense<[1.0e10, -0.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[1.1, 3.0e-45]> : tensor<2xf32>
  %2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %3 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %4 = stablehlo.constant dense<"0x01"> : tensor<2xi1>
  %5 = stablehlo.constant dense<"0x0000803F000000C0"> : tensor<2xf32>
  %6 = stablehlo.constant dense<[-128, 127]> : tensor<2xi8>
  %7 = stablehlo.constant dense<[255, 0]> : tensor<2xui8>
  %8 = stablehlo.constant dense<(1.0, -2.0)> : tensor<complex<f64>>
  %9 = stablehlo.constant dense<[[[]]]> : tensor<1x1x0xf32>
  %10 = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xbf16>
  %11 = stablehlo.constant dense<[1.0, 448.0]> : tensor<2xf8E4M3FN>
  %12 = stablehlo.constant dense<[1, -8]> : tensor<2xi4>
  %13 = stablehlo.constant dense<[0.5, 6.0]> : tensor<2xf4E2M1FN>
  %14 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E8M0FNU>
  %15 = stablehlo.constant dense<1.7976931348623157E+308> : tensor<f64>
  %16 = stablehlo.constant dense<65504.0> : tensor<f16>
  %17 = stablehlo.constant {foo = 1 : i32} dense<1> : tensor<i2>
  %18 = stablehlo.constant dense<> : tensor<0xf32>
  return %0 : tensor<2xf32>
}
