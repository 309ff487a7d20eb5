"""Clones of modules: equal to the original, and independent of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.cloning import clone_op
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.op_builder import OpBuilder

TESTDATA = Path(__file__).parents[2] / "testdata"
PROGRAMS = [*sorted(TESTDATA.rglob("*.mlir"))[::8], *sorted((TESTDATA / "programs").glob("*.mlir"))]

LOOP = """// Doubles.
func.func @main(%x: tensor<f32> loc("x")) -> tensor<f32> {
  %n = stablehlo.constant dense<3> : tensor<i32>  // trips
  %r:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<f32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %twice = stablehlo.add %y, %y : tensor<f32> loc("twice")
    stablehlo.return %next, %twice : tensor<i32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}
"""

BRANCHES = """func.func @main(%x: tensor<f32> loc("x"), %c: i1) -> tensor<f32> {
  cf.cond_br %c, ^same(%x : tensor<f32>), ^twice
^same(%y: tensor<f32> loc("y")):
  return %y : tensor<f32>
^twice:
  %z = stablehlo.add %x, %x : tensor<f32> loc("z")
  cf.br ^same(%z : tensor<f32>)
}
"""


def all_values(module: shlo.Module) -> list[Value]:
    """Every result and block argument, in order."""
    found: list[Value] = []
    for op in module.walk():
        found += op.results
        found += [argument for block in op.blocks for argument in block.arguments]
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_clone_is_equal_and_shares_no_value(path: Path) -> None:
    for text in path.read_text().split("// -----"):
        try:
            module = shlo.parse(text, allow_unregistered=True)
        except shlo.ParseError:
            continue
        clone = module.clone()
        assert shlo.format(clone, canonical=False) == shlo.format(module, canonical=False)
        mine, copied = all_values(module), all_values(clone)
        assert not set(mine) & set(copied)
        numbers = [{value: i for i, value in enumerate(values)} for values in (mine, copied)]
        operands = [
            [[number.get(value) for value in op.operands] for op in each.walk()]
            for each, number in zip((module, clone), numbers, strict=True)
        ]
        assert operands[0] == operands[1]
        for op in clone.walk():
            assert all(op.operands[i] is value for value in op.results for op, i in value.uses)
            assert all(block.parent_op is op for block in op.blocks)


def test_a_change_of_the_clone_leaves_the_original() -> None:
    module = shlo.parse(LOOP)
    before = shlo.format(module, canonical=False)
    clone = module.clone()
    three = clone.functions["main"].regions[0].block.ops[0]
    one = OpBuilder.before(three).constant(1, three.result.type)
    three.result.replace_all_uses(one)
    three.erase()
    clone.comments.clear()
    assert shlo.format(module, canonical=False) == before
    assert [shlo.run(each, [np.float32(3)])[0] for each in (module, clone)] == [24, 6]


def test_positions_of_a_clone_are_those_of_the_original() -> None:
    module = shlo.parse(LOOP)
    positions = [[each.position(op) for op in each.walk()] for each in (module, module.clone())]
    assert positions[0] == positions[1]


def facts(op: Operation) -> list[object]:
    """What an op, its results, regions, blocks and block arguments say of themselves."""
    found: list[object] = [op.name, op.properties, op.attributes, op.location, op.offset, op.end, op.origin]
    found += [(result.name, result.type) for result in op.results]
    found += [region.offset for region in op.regions]
    for block in op.blocks:
        found += [block.label, block.offset]
        found += [(each.name, each.type, each.location, each.offset) for each in block.arguments]
    return found


@pytest.mark.parametrize("text", [LOOP, BRANCHES], ids=["loop", "branches"])
def test_every_part_of_a_clone_is_as_in_the_original(text: str) -> None:
    module = shlo.parse(text)
    for number, op in enumerate(module.walk()):
        op.origin = number
    clone = module.clone()
    assert [facts(op) for op in clone.walk()] == [facts(op) for op in module.walk()]


def test_lists_and_dictionaries_of_a_clone_are_its_own() -> None:
    module = shlo.parse(LOOP)
    clone = module.clone()
    shared = [
        name
        for name, value in vars(module).items()
        if isinstance(value, list | dict) and getattr(clone, name) is value
    ]
    assert not shared


def test_clone_an_op_with_other_operands() -> None:
    module = shlo.parse(LOOP)
    body = module.functions["main"].regions[0].block
    loop = body.ops[1]
    copied = clone_op(loop, {body.arguments[0]: body.ops[0].results[0]})
    assert copied.parent is None
    assert copied.operands == (body.ops[0].results[0],) * 2
    assert [op.name for op in copied.walk()] == [op.name for op in loop.walk()]
    assert len(body.arguments[0].uses) == 1
