// The worked example of tan in the specification.
//
// With 0, pi/4, pi and 3 pi/4 for its operand. The document has pi/2 and 3 pi/2 there, with nine digits,
// and prints 1.63312e+16 and 5.44375e+15: those are the results for the nearest f64 to pi/2 and 3 pi/2.

func.func @main() {
  %operand = stablehlo.constant dense<[[0.0, 0.785398163397448], [3.14159265358979, 2.35619449019234]]> : tensor<2x2xf64>
  %result = "stablehlo.tan"(%operand) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %result, dense<[[0.0, 1.0], [0.0, -1.0]]> : tensor<2x2xf64> {tolerance = 1.0e-12 : f64}
  return
}
