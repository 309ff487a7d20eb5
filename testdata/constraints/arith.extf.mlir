// valid
func.func @main(%a: f32) {
  %0 = arith.extf %a : f32 to f64
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xf32>) {
  %0 = arith.extf %a : tensor<2xf32> to tensor<3xf64>
  return
}

// -----

// breaks: U2
func.func @main(%a: f32) {
  %0 = arith.extf %a : f32 to bf16
  return
}
