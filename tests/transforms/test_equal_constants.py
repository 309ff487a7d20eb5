"""Equal constants are merged where the first dominates the others, and others stay."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import F32, TensorType
from stablehlo_py.transforms.constants import share_constants
from stablehlo_py.transforms.folding import elements_of

ONE = "stablehlo.constant dense<1> : tensor<i32>"
ZERO = "stablehlo.constant dense<0.0> : tensor<f32>"
ONE_AND = "stablehlo.constant {{{}}} dense<1> : tensor<i32>"
BRANCHES = f"""
  %r:2 = "stablehlo.if"(%p) ({{
    %a = {ONE}
    %b = {ONE}
    stablehlo.return %a, %b : tensor<i32>, tensor<i32>
  }}, {{
    %a = {ONE}
    %b = stablehlo.constant dense<2> : tensor<i32>
    stablehlo.return %a, %b : tensor<i32>, tensor<i32>
  }}) : (tensor<i1>) -> (tensor<i32>, tensor<i32>)
"""


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (f"%0 = {ONE}\n%1 = {ONE}", 1),
        (f"%0 = {ONE}\n%1 = {ONE}\n%2 = {ONE}", 1),
        (f"%0 = {ONE}\n%1 = stablehlo.constant dense<2> : tensor<i32>", 2),
        (f"%0 = {ONE}\n%1 = stablehlo.constant dense<1> : tensor<i64>", 2),
        (f"%0 = {ONE}\n%1 = stablehlo.constant dense<1> : tensor<1xi32>", 2),
        (f"%0 = {ONE}\n%1 = {ONE_AND.format('a = 1 : i32')}", 2),
        (f"%0 = {ONE_AND.format('a = 1 : i32')}\n%1 = {ONE_AND.format('a = 2 : i32')}", 2),
        (f"%0 = {ONE_AND.format('a = 1, b = 2')}\n%1 = {ONE_AND.format('b = 2, a = 1')}", 1),
        (f"%0 = {ZERO}\n%1 = {ZERO.replace('0.0', '-0.0')}", 2),
        ("%0 = stablehlo.iota dim = 0 : tensor<2xi32>\n%1 = stablehlo.iota dim = 0 : tensor<2xi32>", 2),
        (BRANCHES, 3),  # neither branch dominates the other
        (f"%0 = {ONE}\n{BRANCHES}", 2),  # what is around dominates both
        (f"{BRANCHES}\n%0 = {ONE}", 4),  # what is inside does not dominate what follows
    ],
)  # fmt: skip
def test_constants_that_are_left(body: str, left: int) -> None:
    module = shlo.parse(f"func.func @main(%p: tensor<i1>) {{\n{body}\nreturn\n}}")
    kinds = ("stablehlo.constant", "stablehlo.iota")
    before = sum(op.name in kinds for op in module.walk())
    assert share_constants(module.op) is (left < before)
    assert sum(op.name in kinds for op in module.walk()) == left
    assert share_constants(module.op) is False
    assert shlo.verify(module) == []


def test_uses_have_the_first_one() -> None:
    text = f"""func.func @main() -> tensor<i32> {{
      %0 = {ONE}
      %1 = {ONE}
      %2 = stablehlo.subtract %1, %0 : tensor<i32>
      return %2 : tensor<i32>
    }}
    func.func @other() -> tensor<i32> {{
      %0 = {ONE}
      return %0 : tensor<i32>
    }}"""
    module = shlo.parse(text)
    assert share_constants(module.op)
    (constant, difference, _) = module.functions["main"].regions[0].blocks[0].ops
    assert [*difference.operands] == [constant.result] * 2
    assert len(module.functions["other"].regions[0].blocks[0].ops) == 2


@pytest.mark.parametrize(
    ("elements", "is_splat"),
    [([1.5, 1.5], True), ([1.5, 2.5], False), ([0.0, -0.0], False), ([np.nan, np.nan], True), ([1.0], True)],
)
def test_elements_with_the_same_bits_are_a_splat(elements: list[float], is_splat: bool) -> None:
    found = elements_of(np.array(elements), TensorType((len(elements),), F32))
    assert found.is_splat == is_splat
    assert found.value.tobytes() == np.array(elements, np.float32).tobytes()
