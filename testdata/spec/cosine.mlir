// The worked example of cosine in the specification.

func.func @main() {
  %operand = stablehlo.constant dense<[[0.0, 1.57079632], [3.14159265, 4.71238898]]> : tensor<2x2xf32>
  %result = "stablehlo.cosine"(%operand) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %result, dense<[[1.0, 0.0], [-1.0, 0.0]]> : tensor<2x2xf32> {tolerance = 1.0e-6 : f64}
  return
}
