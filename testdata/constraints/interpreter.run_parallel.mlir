// valid
func.func @partition_id() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}
func.func @main() {
  %0 = "interpreter.run_parallel"() <{programs = [[@partition_id]]}> : () -> tensor<i64>
  return
}

// -----

// breaks: U1
func.func @foo() {
  return
}
func.func @main() {
  "interpreter.run_parallel"() <{programs = [[], []]}> : () -> ()
  return
}

// -----

// breaks: U2
func.func @foo() {
  return
}
func.func @main() {
  "interpreter.run_parallel"() <{programs = [[@foo], []]}> : () -> ()
  return
}

// -----

// breaks: U3
func.func @foo(%arg0: tensor<i64>) {
  return
}
func.func @main(%arg0: tensor<i1>, %arg1: tensor<i64>) {
  "interpreter.run_parallel"(%arg0, %arg1) <{programs = [[@foo]]}> : (tensor<i1>, tensor<i64>) -> ()
  return
}

// -----

// breaks: U4
func.func @partition_id() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}
func.func @main() {
  "interpreter.run_parallel"() <{programs = [[@partition_id]]}> : () -> ()
  return
}

// -----

// breaks: U5
func.func @foo() {
  return
}
func.func @main() {
  "interpreter.run_parallel"() <{infeed = [], programs = [[@foo]]}> : () -> ()
  return
}

// -----

// breaks: U6
func.func @foo() {
  return
}
func.func @main() {
  "interpreter.run_parallel"() <{infeed = [@bar], programs = [[@foo]]}> : () -> ()
  return
}

// -----

// breaks: U7
func.func @foo() {
  return
}
func.func @main() {
  "interpreter.run_parallel"() <{programs = [[@foo], [@bar]]}> : () -> ()
  return
}

// -----

// breaks: U8
func.func @foo() {
  return
}
func.func @bar(%a: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  return %a, %a : tensor<i32>, tensor<i32>
}
func.func @main() {
  "interpreter.run_parallel"() <{infeed = [@bar], programs = [[@foo]]}> : () -> ()
  return
}

// -----

// breaks: U9
func.func @foo() {
  return
}
func.func @bar(%a: !stablehlo.token) -> !stablehlo.token {
  return %a : !stablehlo.token
}
func.func @main() {
  "interpreter.run_parallel"() <{infeed = [@bar], programs = [[@foo]]}> : () -> ()
  return
}
