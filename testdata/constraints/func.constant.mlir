// valid
func.func @main(%a: f32) {
  %f = constant @g : (f32) -> i1
  return
}

func.func private @g(f32) -> i1

// -----

// breaks: U1
func.func @main(%a: f32) {
  %f = constant @h : (f32) -> i1
  return
}

// -----

// breaks: U2
func.func @main(%a: f32) {
  %f = constant @g : (f32) -> f32
  return
}

func.func private @g(f32) -> i1
