// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.tuple %arg0 : tuple<tensor<f32>>
  return
}

// -----

// breaks: C1
func.func @main() {
  %0 = "stablehlo.tuple"() : () -> tuple<tensor<f32>>
  return
}
