"""Equal constants are merged where the first dominates the others, and others stay."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import F32, TensorType
from stablehlo_py.transforms.constants import share_constants
from stablehlo_py.transforms.folding import elements_of, evaluate

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


def test_equal_ops_of_bodies_that_capture_nothing_stay() -> None:
    """Neither what is around such a body, nor another function, defines values that it may use."""
    iota = "stablehlo.iota dim = 0 : tensor<2xi32>"
    text = f"""sdy.mesh @mesh = <["x"=2]>
    func.func @main() -> (tensor<2xi32>, tensor<4xi32>) {{
      %a = {iota}
      %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{{"x"}}]>]
        manual_axes={{"x"}} () {{
        %b = {iota}
        %c = {iota}
        %1 = stablehlo.add %b, %c : tensor<2xi32>
        sdy.return %1 : tensor<2xi32>
      }} : () -> tensor<4xi32>
      return %a, %0 : tensor<2xi32>, tensor<4xi32>
    }}
    func.func @other() -> tensor<2xi32> {{
      %a = {iota}
      return %a : tensor<2xi32>
    }}"""
    module = shlo.opt(shlo.parse(text), ["cse"])  # which verifies
    body = next(op for op in module.walk() if op.name == "sdy.manual_computation").regions[0].block
    assert [op.name for op in body.ops] == ["stablehlo.iota", "stablehlo.add", "sdy.return"]
    assert [op.name for op in module.walk()].count("stablehlo.iota") == 3


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


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("stablehlo.not %x : tensor<1xui32>", [0xFFFFFFFC]),
        ("stablehlo.partition_id : tensor<ui32>", None),
        ("stablehlo.replica_id : tensor<ui32>", None),
        (
            '"stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, '
            "replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<1xui32>) -> tensor<1xui32>",
            None,
        ),
        (
            '"stablehlo.collective_permute"(%x) <{source_target_pairs = dense<0> : tensor<1x2xi64>}>'
            " : (tensor<1xui32>) -> tensor<1xui32>",
            None,
        ),
    ],
)
def test_what_is_evaluated_does_not_depend_on_where_a_program_runs(
    op: str, expected: list[int] | None
) -> None:
    module = shlo.parse(f"func.func @main(%x: tensor<1xui32>) {{\n%r = {op}\nreturn\n}}")
    made, _ = module.functions["main"].blocks[0].ops
    found = evaluate(made, [np.uint32([3])] * len(made.operands), module)
    assert (None if found is None else found[0].tolist()) == expected
