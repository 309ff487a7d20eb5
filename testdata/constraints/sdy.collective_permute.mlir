// valid
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %p = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x2xf32>
  %0 = sdy.collective_permute %p out_sharding=<@mesh, [{"y"}, {}]> : tensor<4x2xf32>
  return
}
// -----
// breaks: U1
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %p = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x2xf32>
  %0 = sdy.collective_permute %p out_sharding=<@mesh, [{"y"}, {}]> : (tensor<4x2xf32>) -> tensor<4x6xf32>
  return
}
// -----
// breaks: U2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %p = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x2xf32>
  %0 = sdy.collective_permute %p out_sharding=<@grid, [{"y"}, {}]> : tensor<4x2xf32>
  return
}
// -----
// breaks: U3
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %p = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x2xf32>
  %0 = sdy.collective_permute %p out_sharding=<@mesh, [{}]> : tensor<4x2xf32>
  return
}
// -----
// breaks: U4
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %p = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x2xf32>
  %0 = sdy.collective_permute %p out_sharding=<@mesh, [{"z"}, {}]> : tensor<4x2xf32>
  return
}
// -----
// breaks: U5
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %p = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x2xf32>
  %0 = sdy.collective_permute %p out_sharding=<@mesh, [{"x"}, {"x"}]> : tensor<4x2xf32>
  return
}
// -----
// breaks: U6
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[] manual_axes={"x"} (%b: tensor<2x2xf32>) {
    %0 = sdy.collective_permute %b out_sharding=<@mesh, [{"x"}, {}]> : tensor<2x2xf32>
    sdy.return
  } : (tensor<4x2xf32>) -> ()
  return
}
