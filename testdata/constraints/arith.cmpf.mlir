// valid
func.func @main(%a: f32) {
  %0 = arith.cmpf olt, %a, %a : f32
  return
}

// -----

// breaks: U1
func.func @main(%a: f32, %b: f64) {
  %0 = "arith.cmpf"(%a, %b) <{predicate = 4 : i64}> : (f32, f64) -> i1
  return
}

// -----

// breaks: U2
func.func @main(%a: f32) {
  %0 = "arith.cmpf"(%a, %a) <{predicate = 16 : i64}> : (f32, f32) -> i1
  return
}

// -----

// breaks: U3
func.func @main(%a: tensor<2xf32>) {
  %0 = "arith.cmpf"(%a, %a) <{predicate = 4 : i64}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xi1>
  return
}
