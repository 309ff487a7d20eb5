// The worked example of rsqrt in the specification.
//
// The document prints 0.33333343 for 1 / sqrt(9); the nearest f32 is 0.33333334.

func.func @main() {
  %operand = stablehlo.constant dense<[[1.0, 4.0], [9.0, 25.0]]> : tensor<2x2xf32>
  %result = "stablehlo.rsqrt"(%operand) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %result, dense<[[1.0, 0.5], [0.33333334, 0.2]]> : tensor<2x2xf32> {tolerance = 1.0e-7 : f64}
  return
}
