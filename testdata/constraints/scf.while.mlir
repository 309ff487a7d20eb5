// valid
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  %0 = scf.while (%x = %i) : (index) -> f32 {
    scf.condition(%c) %a : f32
  } do {
  ^bb0(%y: f32):
    scf.yield %i : index
  }
  return
}

// -----

// breaks: U1
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  "scf.while"() ({
  ^bb0(%x: f32):
    scf.condition(%c)
  }, {
    scf.yield
  }) : () -> ()
  return
}

// -----

// breaks: U2
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  %0 = "scf.while"() ({
    scf.condition(%c)
  }, {
  ^bb0(%y: f32):
    scf.yield
  }) : () -> f32
  return
}

// -----

// breaks: U3
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  "scf.while"() ({
    scf.condition(%c) %a : f32
  }, {
  ^bb0(%y: f32):
    scf.yield
  }) : () -> ()
  return
}

// -----

// breaks: U4
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  "scf.while"() ({
    scf.condition(%c)
  }, {
    scf.yield %a : f32
  }) : () -> ()
  return
}
