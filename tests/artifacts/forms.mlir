// Every enumeration, every element type, and attributes that are absent, have their default and have another value.
func.func @comparisons(%a: tensor<2xf32>, %b: tensor<2xi32>, %c: tensor<2xui32>) {
  %0 = stablehlo.compare EQ, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = stablehlo.compare GE, %a, %a, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %3 = stablehlo.compare GT, %b, %b, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %4 = stablehlo.compare LE, %c, %c, UNSIGNED : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xi1>
  %5 = stablehlo.compare LT, %c, %c, NOTYPE : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xi1>
  return
}

// -----

func.func @fourier(%a: tensor<4xf32>, %b: tensor<3xcomplex<f32>>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %1 = stablehlo.fft %c, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %2 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  %3 = stablehlo.fft %b, type = IRFFT, length = [4] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  return
}

// -----

func.func @random(%a: tensor<2xui64>, %low: tensor<f32>, %high: tensor<f32>, %shape: tensor<1xi64>) {
  %0:2 = stablehlo.rng_bit_generator %a, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
  %1:2 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
  %2:2 = stablehlo.rng_bit_generator %a, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui64>)
  %3 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  %4 = stablehlo.rng %low, %high, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @linear_algebra(%a: tensor<2x2xf32>) {
  %0 = "stablehlo.cholesky"(%a) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.cholesky"(%a) {lower = false} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "stablehlo.cholesky"(%a) {lower = true} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = "stablehlo.triangular_solve"(%a, %a) {left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = "stablehlo.triangular_solve"(%a, %a) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %5 = "stablehlo.triangular_solve"(%a, %a) {left_side = false, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @products(%a: tensor<2x2xf32>) {
  %0 = stablehlo.dot %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.dot %a, %a, precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.dot %a, %a, precision = [HIGH, HIGHEST] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.dot_general %a, %a, batching_dims = [0] x [1], contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @algorithms(%a: tensor<2x2xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 6, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f16, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @accuracies(%a: tensor<2xf32>) {
  %0 = "stablehlo.exponential"(%a) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.tanh"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "stablehlo.sine"(%1) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @highest(%a: tensor<2xf32>) {
  %0 = "stablehlo.cbrt"(%a) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @tolerances(%a: tensor<2xf32>) {
  %0 = "stablehlo.cbrt"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 2.000000e-03, ulps = 7, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.cosine"(%a) {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "stablehlo.exponential_minus_one"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = "stablehlo.log"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  %4 = "stablehlo.log_plus_one"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  %5 = "stablehlo.logistic"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  %6 = "stablehlo.rsqrt"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  %7 = "stablehlo.sqrt"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  %8 = "stablehlo.tan"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  %9 = "stablehlo.tanh"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @default_accuracies(%a: tensor<2xf32>) {
  %0 = stablehlo.cbrt %a : tensor<2xf32>
  %1 = stablehlo.cosine %a : tensor<2xf32>
  %2 = stablehlo.exponential_minus_one %a : tensor<2xf32>
  %3 = stablehlo.log %a : tensor<2xf32>
  %4 = stablehlo.log_plus_one %a : tensor<2xf32>
  %5 = stablehlo.logistic %a : tensor<2xf32>
  %6 = stablehlo.rsqrt %a : tensor<2xf32>
  %7 = stablehlo.sqrt %a : tensor<2xf32>
  %8 = stablehlo.tanh %a : tensor<2xf32>
  %9 = stablehlo.exponential %a : tensor<2xf32>
  %10 = stablehlo.sine %a : tensor<2xf32>
  return
}

// -----

func.func @default_tan(%a: tensor<2xf32>) {
  %0 = stablehlo.tan %a : tensor<2xf32>
  return
}

// -----

func.func @gathers(%a: tensor<2x4x9xi32>, %b: tensor<1x5x2xi32>, %sizes: tensor<3xi32>) {
  %0 = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>} : (tensor<2x4x9xi32>, tensor<1x5x2xi32>) -> tensor<1x5x8xi32>
  %1 = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 8>} : (tensor<2x4x9xi32>, tensor<1x5x2xi32>) -> tensor<1x5x8xi32>
  %2 = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 8>} : (tensor<2x4x9xi32>, tensor<1x5x2xi32>) -> tensor<1x5x8xi32>
  %3 = "stablehlo.dynamic_gather"(%a, %b, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>} : (tensor<2x4x9xi32>, tensor<1x5x2xi32>, tensor<3xi32>) -> tensor<1x5x8xi32>
  %4 = "stablehlo.dynamic_gather"(%a, %b, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = true} : (tensor<2x4x9xi32>, tensor<1x5x2xi32>, tensor<3xi32>) -> tensor<1x5x8xi32>
  return
}

// -----

func.func @batched_gather(%a: tensor<3x2x4xi32>, %b: tensor<3x5x1xi64>) {
  %0 = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x2x4xi32>, tensor<3x5x1xi64>) -> tensor<3x5x4xi32>
  return
}

// -----

func.func @scatters(%a: tensor<3xi32>, %b: tensor<1x1xi32>, %c: tensor<1xi32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xi32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %1 = "stablehlo.scatter"(%a, %b, %c) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) {indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false} : (tensor<3xi32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %2 = "stablehlo.scatter"(%a, %b, %c) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) {indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true} : (tensor<3xi32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @batched_scatter(%a: tensor<2x3xi32>, %b: tensor<2x1xi32>, %c: tensor<2xi32>) {
  %0 = "stablehlo.scatter"(%a, %b, %c) ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>} : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @windows(%a: tensor<1x4x4x1xf32>, %k: tensor<2x2x1x1xf32>, %z: tensor<f32>, %p: tensor<2x2xi64>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32>
  %1 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32>
  %2 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 0], [0, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x8x1xf32>
  %3 = "stablehlo.dynamic_conv"(%a, %k, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>, tensor<2x2xi64>) -> tensor<1x?x?x1xf32>
  %4 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<1x4x4x1xf32>, tensor<f32>) -> tensor<1x3x3x1xf32>
  %5 = "stablehlo.reduce_window"(%a, %z) <{base_dilations = array<i64: 1, 2, 1, 1>, padding = dense<[[0, 0], [0, 1], [2, 0], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 2, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<1x4x4x1xf32>, tensor<f32>) -> tensor<1x4x4x1xf32>
  %6 = "stablehlo.reduce_window"(%a, %z) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<1x4x4x1xf32>, tensor<f32>) -> tensor<1x3x3x1xf32>
  return
}

// -----

func.func @select_and_scatter(%a: tensor<4xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>, %z: tensor<f32>) {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "stablehlo.select_and_scatter"(%a, %b, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @sorts(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) {dimension = -1 : i64, is_stable = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2:2 = "stablehlo.sort"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<i32>, %w: tensor<i32>):
    %5 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// -----

func.func @collectives(%a: tensor<2x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  %1 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  %2 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64} : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %5 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids} : (tensor<2x2xf32>) -> tensor<2x1xf32>
  %6 = "stablehlo.all_to_all"(%a) {concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64} : (tensor<2x2xf32>) -> tensor<4x1xf32>
  %7 = "stablehlo.all_to_all"(%a) {channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64} : (tensor<2x2xf32>) -> tensor<4x1xf32>
  %8 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %9 = "stablehlo.collective_permute"(%a) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @broadcasts(%a: tensor<2xf32>) {
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.collective_broadcast"(%a) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @many_operands(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  %0:2 = "stablehlo.all_reduce"(%a, %a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func private @callee(tensor<2xf32>) -> tensor<2xf32>
func.func @calls(%a: tensor<2xf32>) {
  %0 = stablehlo.custom_call @target(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @target(%a) {api_version = 1 : i32, backend_config = "", called_computations = [], has_side_effect = false} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.custom_call @target(%a) {api_version = 2 : i32, backend_config = "text", called_computations = [@callee], has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.custom_call @target(%a) {api_version = 3 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  %4 = stablehlo.custom_call @target(%a) {api_version = 0 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  %5:2 = stablehlo.custom_call @target(%a, %a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @dictionary(%a: tensor<2xf32>) {
  %0 = stablehlo.custom_call @target(%a) {api_version = 4 : i32, backend_config = {a = 1 : i32, b = "c", d = true}} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @empty_dictionary(%a: tensor<2xf32>) {
  %0 = stablehlo.custom_call @target(%a) {api_version = 4 : i32, backend_config = {}} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @decomposition(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @composites(%a: tensor<2xf32>) {
  %0 = stablehlo.composite "a.b" %a {decomposition = @decomposition} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.composite "a.b" %a {composite_attributes = {}, decomposition = @decomposition, version = 0 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.composite "a.b" %a {composite_attributes = {x = 1 : i64}, decomposition = @decomposition, version = 2 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @transfers(%a: tensor<2xf32>, %t: !stablehlo.token) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %t, %0 : !stablehlo.token
  %2 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %3 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %4:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %5:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, is_host_transfer = false} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %6:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %7:2 = "stablehlo.infeed"(%t) {infeed_config = "x", layout = [[0]]} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %8 = "stablehlo.outfeed"(%a, %t) : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %9 = "stablehlo.outfeed"(%a, %t) {outfeed_config = "x"} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @paired(%a: tensor<2xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %1:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @control(%a: tensor<i1>, %b: tensor<i32>, %c: tensor<2xf32>) {
  %0 = "stablehlo.if"(%a) ({
    stablehlo.return %c : tensor<2xf32>
  }, {
    stablehlo.return %c : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %1 = "stablehlo.case"(%b) ({
    stablehlo.return %c : tensor<2xf32>
  }, {
    stablehlo.return %0 : tensor<2xf32>
  }, {
    stablehlo.return %c : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  %2:2 = stablehlo.while(%x = %a, %y = %c) : tensor<i1>, tensor<2xf32>
    cond {
      stablehlo.return %x : tensor<i1>
    } do {
      %5 = stablehlo.add %y, %c : tensor<2xf32>
      stablehlo.return %a, %5 : tensor<i1>, tensor<2xf32>
    }
  %3 = "stablehlo.map"(%c, %c) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = stablehlo.optimization_barrier %c : tensor<2xf32>
  return
}

// -----

func.func @dynamic(%a: tensor<?xf32>, %s: tensor<2xi64>, %p: tensor<1xi64>) {
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64>} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %3 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %4 = "stablehlo.set_dimension_size"(%a, %3) {dimension = 0 : i64} : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  %5 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  %6 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %7 = stablehlo.real_dynamic_slice %a, %p, %p, %p : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @small_types(%a: tensor<i1>, %b: tensor<i4>, %c: tensor<i8>, %d: tensor<i16>, %e: tensor<i32>, %f: tensor<i64>, %g: tensor<ui4>, %h: tensor<ui8>, %i: tensor<ui16>, %j: tensor<ui32>, %k: tensor<ui64>, %l: tensor<bf16>, %m: tensor<f16>, %n: tensor<f32>, %o: tensor<f64>, %p: tensor<complex<f32>>, %q: tensor<complex<f64>>, %r: tensor<index>, %s: tuple<tensor<i1>, tuple<>>, %t: !stablehlo.token, %u: tensor<f8E4M3FN>, %v: tensor<f8E5M2>) {
  return
}

// -----

func.func @f8_of_two_kinds(%a: tensor<f8E4M3FNUZ>, %b: tensor<f8E5M2FNUZ>) {
  return
}

// -----

func.func @f8_with_a_bias(%a: tensor<f8E4M3B11FNUZ>) {
  return
}

// -----

func.func @two_bits(%a: tensor<i2>, %b: tensor<ui2>) {
  return
}

// -----

func.func @f8_of_ieee(%a: tensor<f8E4M3>, %b: tensor<f8E3M4>) {
  return
}

// -----

func.func @microscaling(%a: tensor<f4E2M1FN>, %b: tensor<f6E2M3FN>, %c: tensor<f6E3M2FN>, %d: tensor<f8E8M0FNU>) {
  return
}

// -----

func.func @quantized(%a: tensor<2x!quant.uniform<i8:f32, 2.5:-3>>, %b: tensor<2x!quant.uniform<u8<1:200>:f32, 0.5>>, %c: tensor<2xf32>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 2.5:-3>>) -> tensor<2xf32>
  %1 = stablehlo.uniform_quantize %c : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 2.5:-3>>
  return
}

// -----

func.func @quantized_along_an_axis(%a: tensor<2x!quant.uniform<i8:f32:0, {2.5:-3, 0.25}>>) {
  return
}

// -----

func.func @constants() {
  %0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %1 = stablehlo.constant dense<[1, -2]> : tensor<2xi4>
  %2 = stablehlo.constant dense<[1, -2]> : tensor<2xi8>
  %3 = stablehlo.constant dense<[1, 65535]> : tensor<2xui16>
  %4 = stablehlo.constant dense<[1.0, -2.5]> : tensor<2xbf16>
  %5 = stablehlo.constant dense<[1.0, 0x7FC00001]> : tensor<2xf32>
  %6 = stablehlo.constant dense<(1.0, -2.5)> : tensor<2xcomplex<f64>>
  %7 = stablehlo.constant dense<7> : tensor<2x2xi64>
  %8 = stablehlo.constant dense<> : tensor<0xf32>
  %9 = stablehlo.constant dense<true> : tensor<4xi1>
  return
}

// -----

module @named attributes {mhlo.num_partitions = 2 : i32, a.text = "b", a.array = [1, true, "c"], a.type = tensor<2xf32>, a.dict = {x = 1.5 : f32}} {
  func.func public @main(%a: tensor<2xf32> {a.b = 1 : i64}, %b: tensor<2xf32>) -> (tensor<2xf32> {a.c = "d"}) {
    %0 = func.call @f(%b) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
    return %a : tensor<2xf32>
  }
}

// -----

func.func @uses(%a: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  %1 = "stablehlo.if"(%p) ({
    %4 = stablehlo.multiply %0, %a : tensor<2xf32>
    stablehlo.return %4 : tensor<2xf32>
  }, {
    %4 = stablehlo.subtract %a, %0 : tensor<2xf32>
    stablehlo.return %0 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  %3 = stablehlo.constant dense<0> : tensor<i32>
  %2 = "stablehlo.case"(%3) ({
    %4 = stablehlo.multiply %0, %1 : tensor<2xf32>
    stablehlo.return %4 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

func.func @uses_of_results(%a: tensor<i1>, %b: tensor<i32>) -> tensor<i32> {
  %0:3 = stablehlo.while(%x = %a, %y = %b, %z = %b) : tensor<i1>, tensor<i32>, tensor<i32>
    cond {
      stablehlo.return %x : tensor<i1>
    } do {
      %5 = stablehlo.add %y, %b : tensor<i32>
      %6 = stablehlo.add %b, %5 : tensor<i32>
      %7:3 = stablehlo.while(%u = %a, %v = %y, %w = %5) : tensor<i1>, tensor<i32>, tensor<i32>
        cond {
          stablehlo.return %x : tensor<i1>
        } do {
          %8 = stablehlo.add %w, %5 : tensor<i32>
          %9 = stablehlo.add %5, %y : tensor<i32>
          stablehlo.return %x, %8, %9 : tensor<i1>, tensor<i32>, tensor<i32>
        }
      stablehlo.return %x, %5, %7#2 : tensor<i1>, tensor<i32>, tensor<i32>
    }
  %1 = stablehlo.add %0#1, %0#2 : tensor<i32>
  %2 = stablehlo.add %0#2, %0#1 : tensor<i32>
  return %2 : tensor<i32>
}

// -----

func.func @precisions(%a: tensor<2x2xf32>, %k: tensor<1x4x2xf32>, %l: tensor<1x2x3xf32>) {
  %0 = "stablehlo.dot"(%a, %a) {precision_config = []} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "stablehlo.dot"(%a, %a) {precision_config = [#stablehlo<precision DEFAULT>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = "stablehlo.dot"(%a, %a) {precision_config = [#stablehlo<precision HIGH>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = "stablehlo.dot"(%a, %a) {precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @processes() -> (tensor<ui32>, tensor<ui32>) {
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.partition_id : tensor<ui32>
  return %0, %1 : tensor<ui32>, tensor<ui32>
}

// -----

func.func @mesh(%a: tensor<2x2xf32>) {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @asynchronous(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<2xf32>):
    %2 = "stablehlo.collective_permute"(%b) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

func.func @buffers(%a: memref<2xf32>) -> memref<2xf32> {
  %0 = stablehlo.custom_call @target(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (memref<2xf32>) -> memref<2xf32>
  return %0 : memref<2xf32>
}

// -----

func.func @uses_of_which_two_are_moved(%i: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %i, %i : tensor<i32>
  %1 = stablehlo.multiply %i, %i : tensor<i32>
  %2 = "stablehlo.case"(%i) ({
    %5 = stablehlo.negate %i : tensor<i32>
    stablehlo.return %5 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %3 = stablehlo.subtract %i, %2 : tensor<i32>
  %4 = stablehlo.add %3, %i : tensor<i32>
  return %4 : tensor<i32>
}

// -----

func.func @uses_of_results_of_which_two_are_moved(%a: tensor<i1>, %b: tensor<i32>) -> tensor<i32> {
  %0:3 = "stablehlo.if"(%a) ({
    stablehlo.return %b, %b, %b : tensor<i32>, tensor<i32>, tensor<i32>
  }, {
    stablehlo.return %b, %b, %b : tensor<i32>, tensor<i32>, tensor<i32>
  }) : (tensor<i1>) -> (tensor<i32>, tensor<i32>, tensor<i32>)
  %1 = stablehlo.add %0#1, %0#2 : tensor<i32>
  %2 = stablehlo.add %0#1, %0#2 : tensor<i32>
  %3:2 = "stablehlo.case"(%0#2) ({
    %5 = stablehlo.negate %0#2 : tensor<i32>
    %6 = stablehlo.negate %0#1 : tensor<i32>
    stablehlo.return %5, %6 : tensor<i32>, tensor<i32>
  }) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %4 = stablehlo.add %0#2, %0#1 : tensor<i32>
  %5 = stablehlo.add %0#2, %0#2 : tensor<i32>
  return %4 : tensor<i32>
}
// -----
func.func @main(%t: !stablehlo.token, %x: tensor<4xf32>) -> !stablehlo.token {
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %1 = "stablehlo.outfeed"(%x, %0#1) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %2:2 = "stablehlo.infeed"(%1) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %3:2 = "stablehlo.infeed"(%2#1) <{infeed_config = "c", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %3#1 : !stablehlo.token
}
// -----
func.func @main(%x: tensor<1x4x4x1xf32>, %k: tensor<3x3x1x1xf32>, %m: tensor<4x4xf32>, %z: tensor<f32>, %s: tensor<2x2xf32>) {
  %0 = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf32>
  %1 = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]}> : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x5x1x1xf32>
  %2 = "stablehlo.reduce_window"(%m, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<3x3xf32>
  %3 = "stablehlo.select_and_scatter"(%m, %s, %z) <{window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
  %4 = stablehlo.custom_call @t(%m) {api_version = 1 : i32, backend_config = "", called_computations = [], has_side_effect = false, output_operand_aliases = []} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "stablehlo.cosine"(%m) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = "stablehlo.exponential"(%m) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = "stablehlo.sine"(%m) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, rtol = 0.000000e+00, ulps = 5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = "stablehlo.dot_general"(%m, %m) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
// -----
func.func @main(%t: !stablehlo.token, %x: tensor<4xf32>, %i: tensor<2xi64>, %p: tensor<2x2xi64>, %n: tensor<2x1xi32>, %w: tensor<2xi32>) -> tensor<4xf32> {
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %1:2 = "stablehlo.recv"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, is_host_transfer = false, source_target_pairs = dense<> : tensor<0x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %2 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 0>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.dynamic_broadcast_in_dim"(%x, %i) <{broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  %4 = "stablehlo.dynamic_broadcast_in_dim"(%x, %i) <{broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return %2 : tensor<4xf32>
}
