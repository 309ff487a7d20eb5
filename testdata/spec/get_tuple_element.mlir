// The worked example of get_tuple_element in the specification.

func.func @main() {
  %val0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %val1 = stablehlo.tuple %three : tuple<tensor<i64>>
  %operand = stablehlo.tuple %val0, %val1 : tuple<tensor<2xf64>, tuple<tensor<i64>>>
  %result = "stablehlo.get_tuple_element"(%operand) <{index = 0 : i32}> : (tuple<tensor<2xf64>, tuple<tensor<i64>>>) -> tensor<2xf64>
  check.expect_eq_const %result, dense<[1.0, 2.0]> : tensor<2xf64>
  return
}
