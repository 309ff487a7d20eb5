// The worked example of cholesky in the specification.
//
// The document gives the result the type tensor<3x3xf64>, against C1: it is that of %a.

func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0],
                                 [2.0, 20.0, 26.0],
                                 [3.0, 26.0, 70.0]]> : tensor<3x3xf32>
  %result = "stablehlo.cholesky"(%a) {
    lower = true
  } : (tensor<3x3xf32>) -> tensor<3x3xf32>
  check.expect_almost_eq_const %result, dense<[[1.0, 0.0, 0.0],
                                               [2.0, 4.0, 0.0],
                                               [3.0, 5.0, 6.0]]> : tensor<3x3xf32> {tolerance = 1.0e-6 : f64}
  return
}
