// valid
func.func @main(%arg0: !stablehlo.future<tensor<4x4xf32>>) {
  %0 = "stablehlo.async_done"(%arg0) : (!stablehlo.future<tensor<4x4xf32>>) -> tensor<4x4xf32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: !stablehlo.future<tensor<f32>>) {
  %0 = "stablehlo.async_done"(%arg0) : (!stablehlo.future<tensor<f32>>) -> tensor<i4>
  return
}
