// Tensors with bounds, and shapes that go beyond them.
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %n: tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>> {
  %0 = "stablehlo.set_dimension_size"(%a, %n) <{dimension = 0 : i64}> : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<i32>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
}
// -----
func.func @f(%a: tensor<4x3xf32>, %n: tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
}
// -----
func.func @f(%a: tensor<4x3xf32>, %n: tensor<i32>) -> tensor<4x3xf32> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// -----
func.func @f(%a: tensor<4x3xf32>, %n: tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<5, ?>> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<5, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<5, ?>>
}
// -----
func.func @f(%a: tensor<4x3xf32>, %n: tensor<i32>) -> tensor<?x3xf32> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// -----
func.func @f(%a: tensor<4x3xf32>, %n: tensor<i64>) -> tensor<?x3xf32> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x3xf32>, tensor<i64>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// -----
func.func @f(%a: tensor<4x3xf32>, %n: tensor<i32>) -> tensor<?x3xf32> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 2 : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// -----
func.func @f(%a: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %n = stablehlo.constant dense<4> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// -----
func.func @f(%a: tensor<4x3xf32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>> {
  %n = stablehlo.constant dense<4> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
}
// -----
func.func @f(%a: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
func.func @f(%a: tensor<4x3xf32>) -> tensor<3x3xf32> {
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4x3xf32>, tensor<i32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<9, ?>> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<9, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<9, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<8, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<?x3xf32>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<?x3xf32>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<8, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<2x3xf32>) -> tensor<?x3xf32, #stablehlo.bounds<6, ?>> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<2x3xf32>) -> tensor<?x3xf32, #stablehlo.bounds<6, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<6, ?>>
}
// -----
func.func @f(%a: tensor<5x?xf32, #stablehlo.bounds<?, 4>>, %b: tensor<5x2xf32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 4>> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<5x?xf32, #stablehlo.bounds<?, 4>>, tensor<5x2xf32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 4>>
  return %0 : tensor<?x?xf32, #stablehlo.bounds<?, 4>>
}
// -----
func.func @f(%a: tensor<5x?xf32, #stablehlo.bounds<?, 4>>, %b: tensor<5x5xf32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 4>> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<5x?xf32, #stablehlo.bounds<?, 4>>, tensor<5x5xf32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 4>>
  return %0 : tensor<?x?xf32, #stablehlo.bounds<?, 4>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %p: tensor<f32>) -> tensor<?x5xf32, #stablehlo.bounds<6, ?>> {
  %0 = stablehlo.pad %a, %p, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<?x5xf32, #stablehlo.bounds<6, ?>>
  return %0 : tensor<?x5xf32, #stablehlo.bounds<6, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %p: tensor<f32>) -> tensor<?x5xf32, #stablehlo.bounds<5, ?>> {
  %0 = stablehlo.pad %a, %p, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<?x5xf32, #stablehlo.bounds<5, ?>>
  return %0 : tensor<?x5xf32, #stablehlo.bounds<5, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %p: tensor<f32>) -> tensor<?x5xf32> {
  %0 = stablehlo.pad %a, %p, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<2x3xf32> {
  %0 = stablehlo.slice %a [0:2, 0:3] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<5x3xf32> {
  %0 = stablehlo.slice %a [0:5, 0:3] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>> {
  %0 = stablehlo.slice %a [0:2, 0:3] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<2, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
  return %0 : tensor<3x?xf32, #stablehlo.bounds<?, 4>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 3>> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 3>>
  return %0 : tensor<3x?xf32, #stablehlo.bounds<?, 3>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<3, ?>> {
  %0 = stablehlo.abs %a : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<3, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<3, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<5x3xf32> {
  %0 = stablehlo.abs %a : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x3xf32> {
  %0 = stablehlo.add %a, %b : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<5x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.add %a, %b : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<5x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4>>) {
  return
}
// -----
func.func @f(%a: tensor<2x3xf32, #stablehlo.bounds<4, ?>>) {
  return
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<?, ?>>) {
  return
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.type_extensions<bounds = [4, ?]>>) -> tensor<?x3xf32, #stablehlo.type_extensions<bounds = [4, ?]>> {
  return %a : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<-4, ?>>) {
  return
}
// -----
func.func @f(%p: tensor<i1>, %a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<5, ?>> {
  %0 = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<?x3xf32, #stablehlo.bounds<4, ?>> }, { stablehlo.return %b : tensor<?x3xf32, #stablehlo.bounds<5, ?>> }) : (tensor<i1>) -> tensor<?x3xf32, #stablehlo.bounds<5, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<5, ?>>
}
// -----
func.func @f(%p: tensor<i32>, %a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<?x3xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>> {
  %0 = "stablehlo.case"(%p) ({ stablehlo.return %a : tensor<?x3xf32, #stablehlo.bounds<4, ?>> }, { stablehlo.return %b : tensor<?x3xf32, #stablehlo.bounds<5, ?>> }) : (tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
}
// -----
func.func @f(%a: tensor<?x?xf32, #stablehlo.bounds<4, 4>>) -> tensor<?xf32> {
  %0 = stablehlo.reshape %a : (tensor<?x?xf32, #stablehlo.bounds<4, 4>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// -----
func.func @f(%a: tensor<?x4xf32, #stablehlo.bounds<4, ?>>) -> tensor<?xf32, #stablehlo.bounds<16>> {
  %0 = stablehlo.reshape %a : (tensor<?x4xf32, #stablehlo.bounds<4, ?>>) -> tensor<?xf32, #stablehlo.bounds<16>>
  return %0 : tensor<?xf32, #stablehlo.bounds<16>>
}
// -----
func.func @f(%a: tensor<?x4xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x4x2xf32, #stablehlo.bounds<4, ?, ?>> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<?x4xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x4x2xf32, #stablehlo.bounds<4, ?, ?>>
  return %0 : tensor<?x4x2xf32, #stablehlo.bounds<4, ?, ?>>
}
// -----
func.func @f(%a: tensor<?x4xf32>) -> tensor<?x4x2xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<?x4xf32>) -> tensor<?x4x2xf32>
  return %0 : tensor<?x4x2xf32>
}
// -----
func.func @f() -> tensor<?x4xf32, #stablehlo.bounds<4, ?>> {
  %0 = stablehlo.iota dim = 0 : tensor<?x4xf32, #stablehlo.bounds<4, ?>>
  return %0 : tensor<?x4xf32, #stablehlo.bounds<4, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %i: tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %i: tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<3>> {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<3>>
  return %0 : tensor<?xf32, #stablehlo.bounds<3>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<3x5xf32>) -> tensor<?x5xf32, #stablehlo.bounds<4, ?>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<3x5xf32>) -> tensor<?x5xf32, #stablehlo.bounds<4, ?>>
  return %0 : tensor<?x5xf32, #stablehlo.bounds<4, ?>>
}
// -----
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<3x5xf32>) -> tensor<?x5xf32, #stablehlo.bounds<3, ?>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<3x5xf32>) -> tensor<?x5xf32, #stablehlo.bounds<3, ?>>
  return %0 : tensor<?x5xf32, #stablehlo.bounds<3, ?>>
}
// -----
func.func @f(%p: tensor<?xi1, #stablehlo.bounds<4>>, %a: tensor<?xf32, #stablehlo.bounds<4>>, %b: tensor<4xf32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  %0 = stablehlo.select %p, %a, %b : (tensor<?xi1, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>>, tensor<4xf32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
}
// -----
func.func @f(%p: tensor<?xi1, #stablehlo.bounds<4>>, %a: tensor<?xf32, #stablehlo.bounds<4>>, %b: tensor<?xf32, #stablehlo.bounds<3>>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  %0 = stablehlo.select %p, %a, %b : (tensor<?xi1, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<3>>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
}
// -----
func.func @f(%a: tensor<?xf32, #stablehlo.bounds<4>>) -> (tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<4>>) {
  %0:2 = stablehlo.while(%x = %a, %i = %a) : tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>> cond { %t = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.return %t : tensor<i1> } do { stablehlo.return %x, %i : tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xf32, #stablehlo.bounds<4>> }
  %1 = stablehlo.convert %0#1 : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xi32, #stablehlo.bounds<4>>
  return %0#0, %1 : tensor<?xf32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<4>>
}
