// valid
func.func @main(%a: tensor<2xf32>) {
  %0 = arith.flush_denormals %a : tensor<2xf32>
  return
}

// -----

// breaks: U1
func.func @main(%a: f32) {
  %0 = "arith.flush_denormals"(%a) : (f32) -> f64
  return
}
