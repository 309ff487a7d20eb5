"""Programs that fail when they run: a rule whose replacement would be invalid leaves them as they are."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

RESHAPE = """func.func @main(%arg0: tensor<2xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %arg0, %c : (tensor<2xf32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
BROADCAST = """func.func @main(%arg0: tensor<2xf32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %c, dims = [0]
    : (tensor<2xf32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
SLICE = """func.func @main(%arg0: tensor<4xf32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<5> : tensor<1xi64>
  %c_0 = stablehlo.constant dense<9> : tensor<1xi64>
  %c_1 = stablehlo.constant dense<1> : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %arg0, %c, %c_0, %c_1
    : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}"""


@pytest.mark.parametrize("text", [RESHAPE, BROADCAST, SLICE], ids=["reshape", "broadcast", "slice"])
@pytest.mark.parametrize("name", ["stablehlo-canonicalize-dynamism", "stablehlo-aggressive-simplification"])
def test_nothing_is_left_of_a_replacement(name: str, text: str) -> None:
    assert shlo.format(shlo.opt(shlo.parse(text), [name])) == shlo.format(shlo.parse(text))
