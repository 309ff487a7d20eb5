// valid
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  %0 = scf.for %k = %i to %i step %i iter_args(%x = %a) -> (f32) {
    scf.yield %x : f32
  }
  return
}

// -----

// breaks: U1
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  "scf.for"(%i, %i, %j) ({
  ^bb0(%k: index):
    scf.yield
  }) : (index, index, i32) -> ()
  return
}

// -----

// breaks: U2
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  "scf.for"(%i, %i, %i) ({
  ^bb0(%k: i32):
    scf.yield
  }) : (index, index, index) -> ()
  return
}

// -----

// breaks: U3
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  %0 = scf.for %k = %i to %i step %i iter_args(%x = %a) -> (f32) {
    scf.yield %k : index
  }
  return
}

// -----

// breaks: U4
func.func @main(%i: index, %j: i32, %a: f32, %c: i1) {
  %0 = "scf.for"(%i, %i, %i, %a) ({
  ^bb0(%k: index, %x: f32):
    scf.yield %x : f32
  }) : (index, index, index, f32) -> f64
  return
}
