// valid
func.func @main() {
  %0 = sdy.constant dense<1.0> : tensor<2xf32>
  return
}
// -----
// breaks: U1
func.func @main() {
  %0 = "sdy.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}
