// The worked example of not in the specification.

func.func @main() {
  // Bitwise operation with integer tensors
  %operand_0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %result_0 = "stablehlo.not"(%operand_0) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %result_0, dense<[[-2, -3], [-4, -5]]> : tensor<2x2xi32>

  // Bitwise operation with boolean tensors
  %operand_1 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %result_1 = "stablehlo.not"(%operand_1) : (tensor<2xi1>) -> tensor<2xi1>
  check.expect_eq_const %result_1, dense<[false, true]> : tensor<2xi1>
  return
}
