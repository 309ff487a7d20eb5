"""Ops that a pass makes have the position of the op from which it makes them."""

from __future__ import annotations

import stablehlo_py as shlo

PROGRAM = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = chlo.erf %0 : tensor<4xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}"""


def lines_of(module: shlo.Module) -> list[int]:
    return [module.position(op)[0] for op in module.functions["main"].regions[0].blocks[0].ops]


def test_ops_of_a_pass_have_a_position() -> None:
    made = shlo.opt(shlo.parse(PROGRAM), ["chlo-legalize-to-stablehlo"])
    lines = lines_of(made)
    assert lines == [2, *[3] * (len(lines) - 2), 4] and len(lines) > 8
    assert 0 not in lines_of(shlo.opt(made, ["cse", "stablehlo-aggressive-simplification"]))
