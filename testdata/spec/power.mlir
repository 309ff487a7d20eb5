// The worked example of power in the specification.
//
// The document prints inf for 10000.0 to the power of 10.0, and 0.333333343 for 1.0 / 3.0: those are the
// results in f32. The operands are f64, which holds 1e40.

func.func @main() {
  %lhs = stablehlo.constant dense<[-2.0, -0.0, -36.0, 5.0, 3.0, 10000.0]> : tensor<6xf64>
  %rhs = stablehlo.constant dense<[2.0, 2.0, 1.1, 2.0, -1.0, 10.0]> : tensor<6xf64>
  %result = "stablehlo.power"(%lhs, %rhs) : (tensor<6xf64>, tensor<6xf64>) -> tensor<6xf64>
  %expected = stablehlo.constant dense<[4.0, 0.0, 0xFFF8000000000000, 25.0, 0.3333333333333333, 1.0e+40]> : tensor<6xf64>
  check.expect_close %result, %expected, max_ulp_difference = 1 : tensor<6xf64>, tensor<6xf64>
  return
}
