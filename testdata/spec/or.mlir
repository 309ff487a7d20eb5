// The worked example of or in the specification.

func.func @main() {
  // Bitwise operation with integer tensors
  %lhs_0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %rhs_0 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %result_0 = "stablehlo.or"(%lhs_0, %rhs_0) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %result_0, dense<[[5, 6], [7, 12]]> : tensor<2x2xi32>

  // Logical operation with boolean tensors
  %lhs_1 = stablehlo.constant dense<[[false, false], [true, true]]> : tensor<2x2xi1>
  %rhs_1 = stablehlo.constant dense<[[false, true], [false, true]]> : tensor<2x2xi1>
  %result_1 = "stablehlo.or"(%lhs_1, %rhs_1) : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
  check.expect_eq_const %result_1, dense<[[false, true], [true, true]]> : tensor<2x2xi1>
  return
}
