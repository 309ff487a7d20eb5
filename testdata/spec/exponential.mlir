// The worked example of exponential in the specification.

func.func @main() {
  %operand = stablehlo.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf64>
  %result = "stablehlo.exponential"(%operand) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %result, dense<[[1.0, 2.7182818284590451],
                                               [7.3890560989306504, 20.085536923187668]]> : tensor<2x2xf64> {tolerance = 1.0e-6 : f64}
  return
}
