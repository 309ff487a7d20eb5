// The worked example of is_finite in the specification.
//
// The document writes the type of %x as `tensor<7xf64)`, without its `>`.

func.func @main() {
  // -Inf, +Inf, NaN, ...
  %x = stablehlo.constant dense<[0xFFF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, -10.0, -0.0, 0.0, 10.0]> : tensor<7xf64>
  %y = "stablehlo.is_finite"(%x) : (tensor<7xf64>) -> tensor<7xi1>
  check.expect_eq_const %y, dense<[false, false, false, true, true, true, true]> : tensor<7xi1>
  return
}
