// valid
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U1
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) (%b: tensor<4x6xf32>) {
    %1 = stablehlo.slice %b [0:4, 0:2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
    sdy.return %1 : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x6xf32>
  return
}
// -----
// breaks: U3
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U4
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@grid, [{"x"}, {}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U5
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U6
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{"z"}, {}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U7
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{"x"}, {"x"}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U8
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[] manual_axes={"x"} (%b: tensor<2x2xf32>) {
    %0 = sdy.named_computation<"f">(%b) in_shardings=[<@mesh, [{"x"}, {}]>] (%c: tensor<2x2xf32>) {
      sdy.return %c : tensor<2x2xf32>
    } : (tensor<2x2xf32>) -> tensor<2x2xf32>
    sdy.return
  } : (tensor<4x2xf32>) -> ()
  return
}
// -----
// breaks: U9
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U10
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) out_shardings=[<@grid, [{"x"}, {}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U11
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) out_shardings=[<@mesh, [{}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U12
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) out_shardings=[<@mesh, [{"z"}, {}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U13
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  %0 = sdy.named_computation<"f">(%a) out_shardings=[<@mesh, [{"x"}, {"x"}]>] (%b: tensor<4x2xf32>) {
    sdy.return %b : tensor<4x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
// -----
// breaks: U14
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x2xf32>) {
  sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[] manual_axes={"x"} (%b: tensor<2x2xf32>) {
    %0 = sdy.named_computation<"f">(%b) out_shardings=[<@mesh, [{"x"}, {}]>] (%c: tensor<2x2xf32>) {
      sdy.return %c : tensor<2x2xf32>
    } : (tensor<2x2xf32>) -> tensor<2x2xf32>
    sdy.return
  } : (tensor<4x2xf32>) -> ()
  return
}
