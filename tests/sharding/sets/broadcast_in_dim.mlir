sdy.mesh @m = <["a"=2, "b"=2]>
func.func @main(%p: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, %q: tensor<4x8xf32>, %u: tensor<4x4xf32>, %i: tensor<i32>) -> (tensor<8x3x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}, {}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %r = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<8x8xf32>) -> tensor<8x3x8xf32>
  %z = stablehlo.negate %r : tensor<8x3x8xf32>
  return %z : tensor<8x3x8xf32>
}
