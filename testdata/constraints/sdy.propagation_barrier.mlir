// valid
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<4x2xf32>
  return
}
// -----
// breaks: U1
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.propagation_barrier %a allowed_direction=NONE : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}
// -----
// breaks: U2
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<4x2xf32>
  return
}
