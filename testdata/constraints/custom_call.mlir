// valid
func.func @main() {
  stablehlo.custom_call @foo() : () -> ()
  return
}

// -----

// breaks: U1
func.func @main() {
  stablehlo.custom_call @foo() {result_layouts = []} : () -> ()
  return
}

// -----

// breaks: U2
func.func @main() {
  stablehlo.custom_call @foo() {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = []} : () -> ()
  return
}

// -----

// breaks: U3
func.func @main() {
  %0 = stablehlo.custom_call @foo() {operand_layouts = [], result_layouts = []} : () -> tensor<i1>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tuple<>) {
  stablehlo.custom_call @foo(%arg0) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = []} : (tuple<>) -> ()
  return
}

// -----

// breaks: U5
func.func @main() {
  %0:2 = stablehlo.custom_call @foo() {operand_layouts = [], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>]} : () -> (tensor<i8>, tensor<i8>)
  return
}

// -----

// breaks: U6
func.func @main() {
  stablehlo.custom_call @foo() {api_version = 4 : i32, backend_config = "x"} : () -> ()
  return
}

// -----

// breaks: U7
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.custom_call @foo(%arg0) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// breaks: U8
func.func @main(%arg0: memref<2xf32>, %arg1: memref<2xf32>) {
  %0:2 = stablehlo.custom_call @foo(%arg0, %arg1) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>]} : (memref<2xf32>, memref<2xf32>) -> (memref<2xf32>, tensor<f32>)
  return
}

// -----

// breaks: U9
func.func @main(%arg0: memref<2xf32>) {
  %0:2 = stablehlo.custom_call @foo(%arg0) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (memref<2xf32>) -> (memref<2xf32>, memref<2xf32>)
  return
}

// -----

// breaks: U10
func.func @main() {
  %0 = stablehlo.custom_call @foo() : () -> memref<f32>
  return
}

// -----

// breaks: U11
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.custom_call @CreateBuffer(%arg0) : (tensor<f32>) -> memref<2xf32>
  return
}

// -----

// breaks: U12
func.func @main(%arg0: tensor<3xf32>) {
  %0 = stablehlo.custom_call @Pin(%arg0) : (tensor<3xf32>) -> memref<2xf32>
  return
}

// -----

// breaks: U13
func.func @main(%arg0: memref<2xf32>) {
  %0 = stablehlo.custom_call @Unpin(%arg0) : (memref<2xf32>) -> tensor<3xf32>
  return
}
