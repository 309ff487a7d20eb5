// The worked example of tuple in the specification.
//
// Its first edition; since then it has `memref`s for `tensor`s, which no program can make.

func.func @main() {
  %val0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %val1 = "stablehlo.tuple"(%three) : (tensor<i64>) -> tuple<tensor<i64>>
  %result = "stablehlo.tuple"(%val0, %val1) : (tensor<2xf64>, tuple<tensor<i64>>) -> tuple<tensor<2xf64>, tuple<tensor<i64>>>
  %element0 = stablehlo.get_tuple_element %result[0] : (tuple<tensor<2xf64>, tuple<tensor<i64>>>) -> tensor<2xf64>
  %element1 = stablehlo.get_tuple_element %result[1] : (tuple<tensor<2xf64>, tuple<tensor<i64>>>) -> tuple<tensor<i64>>
  %element10 = stablehlo.get_tuple_element %element1[0] : (tuple<tensor<i64>>) -> tensor<i64>
  check.expect_eq_const %element0, dense<[1.0, 2.0]> : tensor<2xf64>
  check.expect_eq_const %element10, dense<3> : tensor<i64>
  return
}
