// The worked example of rng in the specification.
//
// Its values are random; that they are in the interval [0, 2) is all that can be expected.

func.func @main() {
  %a = stablehlo.constant dense<0> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  %shape = stablehlo.constant dense<[3, 3]> : tensor<2xi64>
  %result = "stablehlo.rng"(%a, %b, %shape) {
    rng_distribution = #stablehlo<rng_distribution UNIFORM>
  } : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<3x3xi32>
  %lowest = stablehlo.constant dense<0> : tensor<3x3xi32>
  %highest = stablehlo.constant dense<1> : tensor<3x3xi32>
  %clamped = stablehlo.clamp %lowest, %result, %highest : tensor<3x3xi32>
  check.expect_eq %result, %clamped : tensor<3x3xi32>
  return
}
