// valid
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  scf.if %c {
  }
  %0 = scf.if %c -> (f32) {
    scf.yield %a : f32
  } else {
    scf.yield %a : f32
  }
  return
}

// -----

// breaks: U1
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  "scf.if"(%c) ({
  ^bb0(%x: f32):
    scf.yield
  }, {
  }) : (i1) -> ()
  return
}

// -----

// breaks: U2
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  %0 = scf.if %c -> (f32) {
    scf.yield %i : index
  } else {
    scf.yield %a : f32
  }
  return
}

// -----

// breaks: U3
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  %0 = "scf.if"(%c) ({
    scf.yield %a : f32
  }, {
  }) : (i1) -> f32
  return
}

// -----

// breaks: U3
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  scf.if %c {
  } else {
    scf.yield %a : f32
  }
  return
}

// -----

// breaks: U3
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  "scf.if"(%c) ({
    scf.yield
  }, {
  ^bb0(%x: f32):
    scf.yield
  }) : (i1) -> ()
  return
}
