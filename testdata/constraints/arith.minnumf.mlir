// valid
func.func @main(%a: f32) {
  %0 = arith.minnumf %a, %a fastmath<nnan> : f32
  return
}

// -----

// breaks: U1
func.func @main(%a: f32, %b: f64) {
  %0 = "arith.minnumf"(%a, %b) : (f32, f64) -> f32
  return
}
