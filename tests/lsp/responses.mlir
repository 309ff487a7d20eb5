// 𝄞 first
#loc1 = loc("m.py":3:1)
!t = tensor<2xf32>
module @m {
  func.func @main(%x: tensor<2xf32>, %y: !t {my.a = "𝄞"}) -> (tensor<2xf32>, tensor<i32>) {
    %0:2 = call @pair(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) // 𝄞 %x
    %dead = stablehlo.tanh %y : !t loc(#loc1)
    %c = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
    %s = stablehlo.slice %c [0:1, 0:2:1] : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %r = stablehlo.reshape %s : (tensor<1x2xf32>) -> tensor<2xf32>
    %1 = stablehlo.while(%i = %0#1) : tensor<i32>
      cond {
        %p = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %n = "stablehlo.add"(%i, %0#1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        stablehlo.return %n : tensor<i32>
      }
    %2 = stablehlo.add %0#0, %r : tensor<2xf32>
    %3 = stablehlo.dot_general %2, %r, contracting_dims = [0] x [0], precision = [HIGH, DEFAULT] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
    "a.use"(%3) {b = @pair, d = #t.x} : (tensor<f32>) -> ()
    return %2, %1 : tensor<2xf32>, tensor<i32>
  }
  func.func private @pair(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    return %x, %0 : tensor<2xf32>, tensor<i32>
  }
}
// -----
func.func @main(%lhs: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  %0 = stablehlo.add %lhz, %lhs : tensor<2xf32> // 𝄞
  %1 = "stablehlo.transpos"(%0) <{permutation = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.slice %1 [0:3] : (tensor<2xf32>) -> tensor<3xf32>
  "t.𝄞"(%p) : (tensor<i1>) -> () "after"
  return %2 : tensor<3xf32>
}
