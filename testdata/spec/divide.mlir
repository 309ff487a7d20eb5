// The worked example of divide in the specification.
//
// The document prints 5.66666651, which is 17.0 / 3.0; 17.1 / 3.0 is 5.7.

func.func @main() {
  %lhs = stablehlo.constant dense<[17.1, -17.1, 17.1, -17.1]> : tensor<4xf32>
  %rhs = stablehlo.constant dense<[3.0, 3.0, -3.0, -3.0]> : tensor<4xf32>
  %result = "stablehlo.divide"(%lhs, %rhs) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  check.expect_almost_eq_const %result, dense<[5.7, -5.7, -5.7, 5.7]> : tensor<4xf32> {tolerance = 1.0e-6 : f64}
  return
}
