// The worked example of log_plus_one in the specification.
//
// The document prints -6.90776825 for log(0.001), which is -6.90775528.

func.func @main() {
  %operand = stablehlo.constant dense<[0.0, -0.999, 7.0, 6.38905621, 15.0]> : tensor<5xf64>
  %result = "stablehlo.log_plus_one"(%operand) : (tensor<5xf64>) -> tensor<5xf64>
  check.expect_almost_eq_const %result, dense<[0.0, -6.90776825, 2.07944155, 2.0, 2.77258873]> : tensor<5xf64> {tolerance = 2.0e-5 : f64}
  return
}
