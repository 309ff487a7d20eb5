func.func @d(%a: tensor<f32>) -> tensor<f32> { func.return %a : tensor<f32> }
func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.composite "a.b" %a {decomposition = @d} : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.composite "a.b" %a {decomposition = @d, composite_attributes = {}} : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.composite "a.b" %a {decomposition = @d, composite_attributes = {x = 1 : i32}, version = 0 : i32} : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.composite "a.b" %a {decomposition = @d, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  %4 = "stablehlo.composite"(%a) <{decomposition = @d, name = "q.w", version = 2 : i32, composite_attributes = {}}> : (tensor<f32>) -> tensor<f32>
  %5 = "stablehlo.composite"(%a) {decomposition = @d, name = "q.w"} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @f(%a: tensor<f32>, %b: tensor<4x3xf32>, %p: tensor<i1>) {
  %0 = "stablehlo.custom_call"(%a) <{call_target_name = "foo"}> : (tensor<f32>) -> tensor<f32>
  %1 = "stablehlo.custom_call"(%a) <{call_target_name = "foo", has_side_effect = false, backend_config = "", api_version = 1 : i32, called_computations = []}> : (tensor<f32>) -> tensor<f32>
  %2 = "stablehlo.custom_call"(%a) <{call_target_name = "foo", has_side_effect = true, backend_config = "x", api_version = 2 : i32, called_computations = [@f]}> : (tensor<f32>) -> tensor<f32>
  %3 = "stablehlo.custom_call"(%b) <{call_target_name = "f o", operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], api_version = 4 : i32, backend_config = {a = 1 : i32}}> : (tensor<4x3xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @f(%a: tensor<f32>) {
  %4 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [dense<> : tensor<0xindex>], mhlo.backend_config = {x = 1 : i64}} : (tensor<f32>) -> tensor<f32>
  %5 = stablehlo.custom_call @"f o"(%a) {api_version = 0 : i32} : (tensor<f32>) -> tensor<f32>
  %6:2 = stablehlo.custom_call @foo(%a) {custom_call_schedule = #stablehlo<custom_call_schedule EARLIEST>} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  stablehlo.custom_call @foo() : () -> ()
  func.return
}

// -----

func.func @f(%a: tensor<f32>) {
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
  %1 = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 0.0, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<f32>) -> tensor<f32>
  %2 = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<f32>) -> tensor<f32>
  %3 = "stablehlo.tanh"(%a) : (tensor<f32>) -> tensor<f32>
  %4 = "stablehlo.log"(%a) {foo} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return
}
