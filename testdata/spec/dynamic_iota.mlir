// The worked example of dynamic_iota in the specification.

func.func @main() {
  %output_shape = stablehlo.constant dense<[4, 5]> : tensor<2xi64>
  %result = "stablehlo.dynamic_iota"(%output_shape) {
    iota_dimension = 0 : i64
  } : (tensor<2xi64>) -> tensor<4x5xi64>
  check.expect_eq_const %result, dense<[[0, 0, 0, 0, 0],
                                        [1, 1, 1, 1, 1],
                                        [2, 2, 2, 2, 2],
                                        [3, 3, 3, 3, 3]]> : tensor<4x5xi64>
  return
}
