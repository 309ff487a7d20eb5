// valid
func.func @foo() {
  return
}
func.func @main() {
  stablehlo.composite "stablehlo.identity"  {decomposition = @foo} : () -> ()
  return
}

// -----

// breaks: C1
func.func @foo() {
  return
}
func.func @main() {
  stablehlo.composite "."  {decomposition = @foo} : () -> ()
  return
}

// -----

// breaks: C2
func.func @main() {
  stablehlo.composite "stablehlo.identity"  {decomposition = @foo} : () -> ()
  return
}

// -----

// breaks: C3
func.func @foo(%arg0: !stablehlo.token) {
  return
}
func.func @main() {
  stablehlo.composite "stablehlo.identity"  {decomposition = @foo} : () -> ()
  return
}

// -----

// breaks: C4
func.func @foo(%arg0: !stablehlo.token) {
  return
}
func.func @main(%arg0: !stablehlo.token) {
  %0 = stablehlo.composite "stablehlo.identity" %arg0 {decomposition = @foo} : (!stablehlo.token) -> tensor<i1>
  return
}
