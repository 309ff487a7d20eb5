func.func @main(%x: tensor<4xf32>) -> tensor<?x?xf32> {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = stablehlo.abs %0 : tensor<?x?xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
// -----
func.func @main(%x: tensor<3x1xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?x?xf32>) {
  %s = stablehlo.constant dense<[2, 3, 4]> : tensor<3xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 2] : (tensor<3x1xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %t = stablehlo.constant dense<[5, 2]> : tensor<2xi32>
  %1 = stablehlo.dynamic_iota %t, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %a = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %b = stablehlo.constant dense<[2, -1]> : tensor<2xi32>
  %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %v = stablehlo.constant dense<1.0> : tensor<f32>
  %2 = stablehlo.dynamic_pad %x, %v, %a, %b, %c : (tensor<3x1xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x?x?xf32>, tensor<?x?xi32>, tensor<?x?xf32>
}
// -----
func.func @main(%x: tensor<7x5xf32>) -> tensor<?x?xf32> {
  %a = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %b = stablehlo.constant dense<[6, 5]> : tensor<2xi64>
  %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.real_dynamic_slice %x, %a, %b, %c : (tensor<7x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// -----
func.func @main(%x: tensor<2x4x9xi32>, %i: tensor<1x5x2xi32>) -> tensor<1x5x8xi32> {
  %s = stablehlo.constant dense<[1, 1, 8]> : tensor<3xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false}> : (tensor<2x4x9xi32>, tensor<1x5x2xi32>, tensor<3xi32>) -> tensor<1x5x8xi32>
  return %0 : tensor<1x5x8xi32>
}
// -----
func.func @main(%x: tensor<1x8x8x2xf32>, %y: tensor<3x3x2x4xf32>) -> tensor<?x?x?x?xf32> {
  %p = stablehlo.constant dense<[[1, 0], [2, 1]]> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %y, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 2>}> : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi32>) -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}
// -----
func.func @main(%x: tensor<6x5xf32>) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<i32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<6x5xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<6x5xf32>) -> tensor<i32>
  %c = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.multiply %n, %m : tensor<i32>
  %1 = stablehlo.subtract %n, %c : tensor<i32>
  %2 = stablehlo.divide %0, %c : tensor<i32>
  %3 = stablehlo.maximum %1, %2 : tensor<i32>
  %4 = stablehlo.remainder %0, %m : tensor<i32>
  %5 = stablehlo.add %4, %3 : tensor<i32>
  %6 = stablehlo.compare GT, %5, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %7 = stablehlo.select %6, %0, %5 : tensor<i1>, tensor<i32>
  %8 = stablehlo.reshape %7 : (tensor<i32>) -> tensor<1xi32>
  %9 = stablehlo.dynamic_reshape %x, %8 : (tensor<6x5xf32>, tensor<1xi32>) -> tensor<?xf32>
  %10 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %11 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %12 = stablehlo.concatenate %10, %11, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %13 = stablehlo.dynamic_reshape %x, %12 : (tensor<6x5xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %14 = stablehlo.minimum %2, %4 : tensor<i32>
  return %9, %13, %14 : tensor<?xf32>, tensor<?x?xf32>, tensor<i32>
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = stablehlo.constant dense<4> : tensor<i32>
  %m = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0] : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
  %s = stablehlo.constant dense<4> : tensor<1xi32>
  %1 = func.call @callee(%n, %0) : (tensor<i32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = func.call @other(%y) : (tensor<5xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}
func.func private @callee(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %2 = stablehlo.add %1, %x : tensor<?xf32>
  return %2 : tensor<?xf32>
}
func.func private @other(%x: tensor<5xf32>) -> tensor<?xf32> {
  %0 = stablehlo.constant dense<5> : tensor<1xi32>
  %1 = stablehlo.dynamic_reshape %x, %0 : (tensor<5xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
// -----
func.func @main(%x: tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = stablehlo.constant dense<4> : tensor<i32>
  %0 = func.call @callee(%n, %x) : (tensor<i32>, tensor<4xf32>) -> tensor<?xf32>
  %1 = func.call @callee(%n, %x) : (tensor<i32>, tensor<4xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
func.func private @callee(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.dynamic_reshape %x, %0 : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<2x8xf32>) -> (tensor<*xf32>, tensor<?x8xf32>, tensor<?xf32>) {
  %s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %0 = stablehlo.custom_call @target(%x, %s) {indices_of_shape_operands = dense<[1]> : tensor<1xi64>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<*xf32>
  %1 = stablehlo.convert %y : (tensor<2x8xf32>) -> tensor<?x8xf32>
  %2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<*xf32>, tensor<?x8xf32>, tensor<?xf32>
}
// -----
func.func @main(%x: tensor<3x5xf32>, %i: tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %a = stablehlo.convert %x : (tensor<3x5xf32>) -> tensor<?x?xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0:2 = stablehlo.while(%k = %i, %v = %a) : tensor<i32>, tensor<?x?xf32>
    cond {
      %c = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %w = stablehlo.negate %v : tensor<?x?xf32>
      stablehlo.return %k, %w : tensor<i32>, tensor<?x?xf32>
    }
  %1 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<?x?xf32>
  }, {
    %b = stablehlo.abs %a : tensor<?x?xf32>
    stablehlo.return %b : tensor<?x?xf32>
  }) : (tensor<i32>) -> tensor<?x?xf32>
  %2 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0#1, %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>
}
// -----
func.func @main(%x: tensor<3x5xf32>, %y: tensor<5x2xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %a = stablehlo.convert %x : (tensor<3x5xf32>) -> tensor<?x?xf32>
  %b = stablehlo.convert %y : (tensor<5x2xf32>) -> tensor<?x?xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = stablehlo.slice %x [1:3, 0:5:2] : (tensor<3x5xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.convert %2 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.pad %a, %z, low = [1, 0], high = [0, 2], interior = [1, 0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %5 = stablehlo.dot %a, %w : (tensor<?x?xf32>, tensor<5xf32>) -> tensor<?xf32>
  %w = stablehlo.constant dense<2.0> : tensor<5xf32>
  return %0, %1, %3, %4, %5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>
}
// -----
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xi64>) {
  %0:2 = stablehlo.composite "my.op" %x {composite_attributes = {n = 1 : i64}, decomposition = @body, version = 2 : i32} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xi64>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2xi64>
}
func.func private @body(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xi64>) {
  %0 = stablehlo.exponential %x : tensor<2x3xf32>
  %1 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  return %0, %1 : tensor<2x3xf32>, tensor<2xi64>
}
func.func private @unused(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}
// -----
func.func @main(%x: tensor<2xi32>, %p: tensor<i1>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %a = stablehlo.constant dense<1> : tensor<2xi32>
  %b = stablehlo.constant dense<1> : tensor<2xi32>
  %0 = stablehlo.add %x, %a : tensor<2xi32>
  %1 = stablehlo.add %x, %b : tensor<2xi32>
  %2 = stablehlo.add %b, %x : tensor<2xi32>
  %3 = stablehlo.subtract %0, %1 : tensor<2xi32>
  %4 = "stablehlo.if"(%p) ({
    %5 = stablehlo.add %x, %a : tensor<2xi32>
    stablehlo.return %5 : tensor<2xi32>
  }, {
    %6 = stablehlo.multiply %x, %b : tensor<2xi32>
    %7 = stablehlo.multiply %x, %a : tensor<2xi32>
    %8 = stablehlo.add %6, %7 : tensor<2xi32>
    stablehlo.return %8 : tensor<2xi32>
  }) : (tensor<i1>) -> tensor<2xi32>
  %dead = stablehlo.negate %4 : tensor<2xi32>
  %k:2 = stablehlo.rng_bit_generator %k0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xi32>)
  %k0 = stablehlo.constant dense<7> : tensor<2xui64>
  return %2, %3, %4 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}
// -----
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = func.call @f(%x) : (tensor<2xi32>) -> tensor<2xi32>
  %1 = func.call @g(%0) : (tensor<2xi32>) -> tensor<2xi32>
  %2 = func.call @outside(%1) : (tensor<2xi32>) -> tensor<2xi32>
  return %2 : tensor<2xi32>
}
func.func private @f(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = func.call @g(%x) : (tensor<2xi32>) -> tensor<2xi32>
  %1 = stablehlo.negate %0 : tensor<2xi32>
  return %1 : tensor<2xi32>
}
func.func private @g(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.abs %x : tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func private @recursive(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = func.call @recursive(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func private @outside(tensor<2xi32>) -> tensor<2xi32>
func.func @public(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = func.call @f(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// -----
func.func @main(%x: tensor<2xui8>, %y: tensor<2xui32>) -> (tensor<2xui8>, tensor<2xui32>) {
  %0 = stablehlo.add %x, %x : tensor<2xui8>
  %1 = stablehlo.multiply %y, %y : tensor<2xui32>
  %2 = func.call @f(%1) : (tensor<2xui32>) -> tensor<2xui32>
  return %0, %2 : tensor<2xui8>, tensor<2xui32>
}
func.func private @f(%x: tensor<2xui32>) -> tensor<2xui32> {
  return %x : tensor<2xui32>
}
// -----
func.func @main(%x: tensor<3x4xf32>, %d: tensor<?xf32>, %i: index) -> (tensor<2xi32>, tensor<i32>, tensor<?xf32>) {
  %0 = shape.shape_of %x : tensor<3x4xf32> -> tensor<2xindex>
  %1 = arith.index_cast %0 : tensor<2xindex> to tensor<2xi32>
  %2 = shape.shape_of %d : tensor<?xf32> -> tensor<1xindex>
  %3 = shape.num_elements %2 : tensor<1xindex> -> index
  %4 = tensor.from_elements %3 : tensor<1xindex>
  %5 = stablehlo.dynamic_reshape %d, %4 : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
  %6 = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  return %1, %6, %5 : tensor<2xi32>, tensor<i32>, tensor<?xf32>
}
// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, !shape.witness) {
  %0 = shape.shape_of %x : tensor<4xf32> -> tensor<1xindex>
  %1 = shape.shape_of %y : tensor<?xf32> -> tensor<1xindex>
  %2 = shape.cstr_broadcastable %0, %1 : tensor<1xindex>, tensor<1xindex>
  %3 = shape.broadcast %0, %1 : tensor<1xindex>, tensor<1xindex> -> tensor<1xindex>
  %4 = stablehlo.dynamic_broadcast_in_dim %y, %3, dims = [0] : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %4, %2 : tensor<?xf32>, !shape.witness
}
// -----
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = shape.shape_of %x : tensor<?x4xf32> -> tensor<2xindex>
  %c = arith.constant 0 : index
  %1 = tensor.dim %x, %c : tensor<?x4xf32>
  %2 = arith.addi %1, %1 : index
  %3 = arith.muli %2, %1 : index
  %k = shape.const_size 4
  %4 = tensor.from_elements %3, %1 : tensor<2xindex>
  %5 = stablehlo.dynamic_broadcast_in_dim %x, %0, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x4xf32>
  return %5 : tensor<?x4xf32>
}
// -----
func.func @main(%x: tensor<127x6x8xf32>, %i: tensor<127x5x1xi8>, %u: tensor<127x5x8xf32>) -> (tensor<127x5x8xf32>, tensor<127x6x8xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
      indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<127x6x8xf32>, tensor<127x5x1xi8>) -> tensor<127x5x8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2],
      inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<127x6x8xf32>, tensor<127x5x1xi8>, tensor<127x5x8xf32>) -> tensor<127x6x8xf32>
  return %0, %1 : tensor<127x5x8xf32>, tensor<127x6x8xf32>
}
// -----
func.func @main(%x: tensor<128x6x8xf32>, %i: tensor<128x5xi8>, %u: tensor<128x5x8xf32>) -> (tensor<128x5x8xf32>, tensor<128x6x8xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
      indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<128x6x8xf32>, tensor<128x5xi8>) -> tensor<128x5x8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2],
      inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<128x6x8xf32>, tensor<128x5xi8>, tensor<128x5x8xf32>) -> tensor<128x6x8xf32>
  return %0, %1 : tensor<128x5x8xf32>, tensor<128x6x8xf32>
}
// -----
func.func @main(%x: tensor<256x6x8xf32>, %i: tensor<256x1x5xui8>, %u: tensor<256x5x8xf32>) -> (tensor<256x5x8xf32>, tensor<256x6x8xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<256x6x8xf32>, tensor<256x1x5xui8>) -> tensor<256x5x8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2],
      inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<256x6x8xf32>, tensor<256x1x5xui8>, tensor<256x5x8xf32>) -> tensor<256x6x8xf32>
  return %0, %1 : tensor<256x5x8xf32>, tensor<256x6x8xf32>
}
// -----
func.func @main(%x: tensor<32768x6x8xf32>, %i: tensor<1x32768x5xi16>, %u: tensor<32768x5x8xf32>) -> (tensor<32768x5x8xf32>, tensor<32768x6x8xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 0>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<32768x6x8xf32>, tensor<1x32768x5xi16>) -> tensor<32768x5x8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2],
      inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<32768x6x8xf32>, tensor<1x32768x5xi16>, tensor<32768x5x8xf32>) -> tensor<32768x6x8xf32>
  return %0, %1 : tensor<32768x5x8xf32>, tensor<32768x6x8xf32>
}
// -----
func.func @main(%x: tensor<129x6x8xf32>, %i: tensor<1x129x5xi8>, %u: tensor<129x5x8xf32>) -> (tensor<129x5x8xf32>, tensor<129x6x8xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 0>,
      indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<129x6x8xf32>, tensor<1x129x5xi8>) -> tensor<129x5x8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2],
      inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 0>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<129x6x8xf32>, tensor<1x129x5xi8>, tensor<129x5x8xf32>) -> tensor<129x6x8xf32>
  return %0, %1 : tensor<129x5x8xf32>, tensor<129x6x8xf32>
}
// -----
func.func @main(%x: tensor<3x6x8xf32>, %i: tensor<3x5xi64>, %u: tensor<3x5x8xf32>) -> (tensor<3x5x8xf32>, tensor<3x6x8xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x6x8xf32>, tensor<3x5xi64>) -> tensor<3x5x8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2],
      inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x6x8xf32>, tensor<3x5xi64>, tensor<3x5x8xf32>) -> tensor<3x6x8xf32>
  return %0, %1 : tensor<3x5x8xf32>, tensor<3x6x8xf32>
}
// -----
func.func @main(%x: tensor<255x6x8xf32>, %i: tensor<255x5x1xui8>, %u: tensor<255x5x8xf32>) -> (tensor<255x5x8xf32>, tensor<255x6x8xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
      indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<255x6x8xf32>, tensor<255x5x1xui8>) -> tensor<255x5x8xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2],
      inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
      scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<255x6x8xf32>, tensor<255x5x1xui8>, tensor<255x5x8xf32>) -> tensor<255x6x8xf32>
  return %0, %1 : tensor<255x5x8xf32>, tensor<255x6x8xf32>
}
// -----
func.func @main(%x: tensor<2x3x6x8xf32>, %i: tensor<3x2x5x1xi32>) -> (tensor<3x2x5x8xf32>, tensor<3x2x5x8xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [2],
      operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], start_index_map = [2], index_vector_dim = 3>,
      indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 1, 8>}> : (tensor<2x3x6x8xf32>, tensor<3x2x5x1xi32>) -> tensor<3x2x5x8xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [2],
      operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], start_index_map = [2], index_vector_dim = 3>,
      indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1, 8>}> : (tensor<2x3x6x8xf32>, tensor<3x2x5x1xi32>) -> tensor<3x2x5x8xf32>
  return %0, %1 : tensor<3x2x5x8xf32>, tensor<3x2x5x8xf32>
}
