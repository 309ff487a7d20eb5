// The worked example of negate in the specification.
//
// The document prints the second result as [-2.5, -0.0], two real numbers; it is one complex number.

func.func @main() {
  // Negation operation with integer tensors
  %operand_0 = stablehlo.constant dense<[0, -2]> : tensor<2xi32>
  %result_0 = "stablehlo.negate"(%operand_0) : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %result_0, dense<[0, 2]> : tensor<2xi32>

  // Negation operation with complex tensors
  %operand_1 = stablehlo.constant dense<[(2.5, 0.0)]> : tensor<1xcomplex<f32>>
  %result_1 = "stablehlo.negate"(%operand_1) : (tensor<1xcomplex<f32>>) -> tensor<1xcomplex<f32>>
  check.expect_eq_const %result_1, dense<[(-2.5, -0.0)]> : tensor<1xcomplex<f32>>
  return
}
