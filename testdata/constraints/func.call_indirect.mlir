// valid
func.func @main(%a: f32) {
  %f = constant @g : (f32) -> i1
  %0 = call_indirect %f(%a) : (f32) -> i1
  return
}

func.func private @g(f32) -> i1

// -----

// breaks: U1
func.func @main(%a: f32) {
  %f = constant @g : (f32) -> i1
  %0 = "func.call_indirect"(%f, %a) : ((f32) -> i1, f32) -> f32
  return
}

func.func private @g(f32) -> i1
