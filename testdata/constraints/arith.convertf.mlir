// valid
func.func @main(%a: f16) {
  %0 = arith.convertf %a : f16 to bf16
  return
}

// -----

// breaks: U1
func.func @main(%a: tensor<2xf16>) {
  %0 = arith.convertf %a : tensor<2xf16> to tensor<3xbf16>
  return
}

// -----

// breaks: U2
func.func @main(%a: f16) {
  %0 = arith.convertf %a : f16 to f16
  return
}

// -----

// breaks: U3
func.func @main(%a: f16) {
  %0 = "arith.convertf"(%a) <{roundingmode = 5 : i32}> : (f16) -> bf16
  return
}
