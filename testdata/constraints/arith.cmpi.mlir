// valid
func.func @main(%arg0: index, %arg1: index) {
  %0 = "arith.cmpi"(%arg0, %arg1) <{predicate = 0 : i64}> : (index, index) -> i1
  return
}

// -----

// breaks: U1
func.func @main(%arg0: index, %arg1: i32) {
  %0 = "arith.cmpi"(%arg0, %arg1) <{predicate = 0 : i64}> : (index, i32) -> i1
  return
}

// -----

// breaks: U2
func.func @main(%arg0: index, %arg1: index) {
  %0 = "arith.cmpi"(%arg0, %arg1) <{predicate = 10 : i64}> : (index, index) -> i1
  return
}
