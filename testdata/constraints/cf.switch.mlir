// valid
func.func @main(%j: i32, %a: f32) {
  cf.switch %j : i32, [default: ^bb1(%a : f32), 42: ^bb2, -1: ^bb1(%a : f32)]
  ^bb1(%x: f32):
  return
  ^bb2:
  return
}

// -----

// breaks: U1
func.func @main(%j: i32, %a: f32) {
  "cf.switch"(%j)[^bb1, ^bb1] <{case_operand_segments = array<i32: 0>, case_values = dense<[42, 43]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
  ^bb1:
  return
}

// -----

// breaks: U2
func.func @main(%j: i32, %a: f32) {
  "cf.switch"(%j, %a)[^bb1, ^bb1] <{case_operand_segments = array<i32: 0>, case_values = dense<42> : vector<1xi32>, operandSegmentSizes = array<i32: 1, 0, 1>}> : (i32, f32) -> ()
  ^bb1:
  return
}
