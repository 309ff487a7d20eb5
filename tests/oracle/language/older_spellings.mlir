func.func @f(%a: tensor<2x3xf32>, %s: tensor<f32>) {
  %0 = stablehlo.slice(%a) [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  func.return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.dot_general %a, %b, batching_dims = [] x [], contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = "stablehlo.dot"(%a, %b) {precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.dot %a, %b, precision = [HIGHEST, HIGHEST] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %s: tensor<f32>) {
  %1 = stablehlo.reduce(%a init: %s) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%arg1: tensor<f32>, %arg2: tensor<f32>)  {
    %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%b: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] {foo} : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %b, broadcast_dimensions = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%b: tensor<3xf32>) {
  %1 = stablehlo.transpose %b, permutation = [0] : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%t: !stablehlo.token, %a: tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, channel_id = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  %2 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "foo", has_side_effect = true, backend_config = "bar", api_version = 1 : i32, called_computations = [@foo]} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @foo(%a) {backend_config = "", xla_shape = "x"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
func.func @foo(%a: tensor<4xf32>) -> tensor<4xf32> { func.return %a : tensor<4xf32> }

// -----

func.func @f(%a: tensor<3x3xf32>) {
  %0 = "stablehlo.cholesky"(%a) {lower = true} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = "stablehlo.triangular_solve"(%a, %a) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %3 = stablehlo.cholesky %a, lower = false {x} : tensor<3x3xf32>
  func.return
}
