// valid
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.func_data_flow_edge %a : tensor<4x2xf32>
  return
}
// -----
// breaks: U1
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.func_data_flow_edge %a : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}
