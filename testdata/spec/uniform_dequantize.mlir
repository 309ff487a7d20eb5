// The worked example of uniform_dequantize in the specification.

func.func @main() {
  %bits = stablehlo.constant dense<10> : tensor<2xi8>
  %operand = stablehlo.bitcast_convert %bits : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>
  %result = "stablehlo.uniform_dequantize"(%operand) : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>) -> tensor<2xf32>
  check.expect_eq_const %result, dense<[4.0, 15.0]> : tensor<2xf32>
  return
}
