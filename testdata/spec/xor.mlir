// The worked example of xor in the specification.

func.func @main() {
  // Bitwise operation with integer tensors
  %lhs_0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %rhs_0 = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
  %result_0 = "stablehlo.xor"(%lhs_0, %rhs_0) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %result_0, dense<[[4, 4], [4, 12]]> : tensor<2x2xi32>

  // Logical operation with boolean tensors
  %lhs_1 = stablehlo.constant dense<[[false, false], [true, true]]> : tensor<2x2xi1>
  %rhs_1 = stablehlo.constant dense<[[false, true], [false, true]]> : tensor<2x2xi1>
  %result_1 = "stablehlo.xor"(%lhs_1, %rhs_1) : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
  check.expect_eq_const %result_1, dense<[[false, true], [true, false]]> : tensor<2x2xi1>
  return
}
