// A format without mantissa bits has no encoding of NaN. The barrier keeps XLA from folding the constant.
func.func @main() -> tensor<2xf32> {
  %c = stablehlo.constant dense<[0x7FC00000, 1.25]> : tensor<2xf32>
  %x = stablehlo.optimization_barrier %c : tensor<2xf32>
  %0 = stablehlo.reduce_precision %x, format = e8m0 : tensor<2xf32>
  return %0 : tensor<2xf32>
}
