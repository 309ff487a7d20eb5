// The worked example of uniform_quantize in the specification.

func.func @main() {
  %operand_0 = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>
  %result_0 = "stablehlo.uniform_quantize"(%operand_0) : (tensor<2xf32>)
      -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>
  %bits_0 = stablehlo.bitcast_convert %result_0 : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>) -> tensor<2xi8>
  check.expect_eq_const %bits_0, dense<10> : tensor<2xi8>

  %bits_1 = stablehlo.constant dense<10> : tensor<2xi8>
  %operand_1 = stablehlo.bitcast_convert %bits_1 : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>
  %result_1 = "stablehlo.uniform_quantize"(%operand_1) : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>)
      -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-20, 0.2:-30}>>
  %bits_2 = stablehlo.bitcast_convert %result_1 : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-20, 0.2:-30}>>) -> tensor<2xi8>
  check.expect_eq_const %bits_2, dense<[20, 45]> : tensor<2xi8>
  return
}
