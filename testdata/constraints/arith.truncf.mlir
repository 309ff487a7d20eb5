// valid
func.func @main(%a: f32) {
  %0 = arith.truncf %a : f32 to bf16
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xf32>) {
  %0 = arith.truncf %a : tensor<2xf32> to tensor<3xbf16>
  return
}

// -----

// breaks: U2
func.func @main(%a: f32) {
  %0 = arith.truncf %a : f32 to f64
  return
}

// -----

// breaks: U3
func.func @main(%a: f32) {
  %0 = "arith.truncf"(%a) <{roundingmode = 5 : i32}> : (f32) -> bf16
  return
}
