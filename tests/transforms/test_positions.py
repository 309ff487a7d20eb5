"""Ops that a pass makes have the position of the op from which it makes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from each_pass import passes_for, random_inputs  # beside this file

import stablehlo_py as shlo
from stablehlo_py.ir.core import Operation
from stablehlo_py.transforms.registry import PASSES

ROOT = Path(__file__).parents[2]
ROOTS = (ROOT / "testdata", ROOT / "tests" / "sharding")
PROGRAM = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = chlo.erf %0 : tensor<4xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}"""
DIVIDED = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %y: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x4xf32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %z = %x) : tensor<i32>, tensor<4x4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %2 = stablehlo.dot %z, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %i, %2 : tensor<i32>, tensor<4x4xf32>
  }
  return %0#1 : tensor<4x4xf32>
}"""
X, Y, Z = (f"tensor<{shape}x!quant.uniform<i8:f32, 2.0:{shape[0]}>>" for shape in ("2x3", "3x4", "2x4"))
QUANTIZED = f"""func.func @main(%x: {X}, %y: {Y}) -> {Z} {{
  %0 = "stablehlo.dot_general"(%x, %y) {{
    dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
  }} : ({X}, {Y}) -> {Z}
  return %0 : {Z}
}}"""


def lines_of(module: shlo.Module) -> list[int]:
    return [module.position(op)[0] for op in module.functions["main"].regions[0].blocks[0].ops]


def test_ops_of_a_pass_have_a_position() -> None:
    made = shlo.opt(shlo.parse(PROGRAM), ["chlo-legalize-to-stablehlo"])
    lines = lines_of(made)
    assert lines == [2, *[3] * (len(lines) - 2), 4] and len(lines) > 8
    assert 0 not in lines_of(shlo.opt(made, ["cse", "stablehlo-aggressive-simplification"]))


@pytest.mark.parametrize(
    ("program", "passes", "expected"),
    [
        (DIVIDED, "partition", {"func": 2, "while": 5, "compare": 7, "dot": 10, "reduce_scatter": 10}),
        (DIVIDED, "sdy-add-data-flow-edges", {"mesh": 1, "data_flow_edge": 5, "while": 5}),
        (PROGRAM, "stablehlo-wrap-in-composite{op-names=chlo.erf}", {"composite": 3, "erf": 3}),
        (QUANTIZED, "stablehlo-legalize-quant-to-math", {"func": 1, "dot_general": 2, "reduce": 2, "add": 2}),
        (PROGRAM, "interpreter-instrument-with-probe", {"negate": 2, "probe": 2}),
    ],
)  # fmt: skip
def test_the_position_is_that_of_the_source(program: str, passes: str, expected: dict[str, int]) -> None:
    made = shlo.opt(shlo.parse(program, allow_unregistered=True), passes)
    found: dict[str, int] = {}
    for op in made.walk():
        found.setdefault(op.name.partition(".")[2], made.position(op)[0])
    assert {name: found.get(name) for name in expected} == expected


def test_a_new_function_has_the_position_of_the_op_that_it_computes() -> None:
    made = shlo.opt(shlo.parse(PROGRAM), "stablehlo-wrap-in-composite{op-names=chlo.erf}")
    function = made.functions["chlo.erf.impl"]
    assert [made.position(op)[0] for op in function.walk()] == [3, 3, 3]


def test_an_error_in_the_same_pass_has_a_position() -> None:
    text = """func.func @main(%a: !shape.witness, %s: !shape.shape) -> !shape.witness {
      %0 = shape.cstr_broadcastable %s, %s : !shape.shape, !shape.shape
      return %0 : !shape.witness
    }"""
    with pytest.raises(shlo.TransformError) as raised:
        shlo.opt(shlo.parse(text, allow_unregistered=True), "shape-legalize-to-stablehlo")
    assert [d.line for d in raised.value.diagnostics] == [2]


def without_position(module: shlo.Module) -> list[str]:
    """The ops of a module without a position of their own or of an op with regions around them."""

    def is_without(op: Operation) -> bool:
        around = op.parent_op
        while op.offset < 0 and op.origin < 0 and around and not (around.is_function or around.is_module):
            op, around = around, around.parent_op
        return op.offset < 0 and op.origin < 0

    return [op.name for op in module.walk() if op is not module.op and is_without(op)]


def programs() -> Iterator[tuple[Path, shlo.Module]]:
    """The valid programs of the test data, in a fixed order that mixes folders."""
    paths = sorted(
        (path for root in ROOTS for path in root.rglob("*.mlir")), key=lambda path: path.name[::-1]
    )
    for path in paths:
        try:
            module = shlo.load(path, allow_unregistered=True)
        except shlo.ParseError:
            continue
        if not any(found.severity == "error" for found in shlo.verify(module)):
            yield path, module


def check(path: Path, module: shlo.Module) -> None:
    """Run every pass on a program; each has positions for all that it makes and refuses."""
    alone = [name for name in PASSES if name != "stablehlo-compatibility-expander"]
    for passes in (*alone, "sdy-propagation-pipeline", *passes_for(module, random_inputs(module) or ())):
        try:
            made = shlo.opt(module, passes, verify_each=False)
        except shlo.TransformError as error:
            assert all(found.line > 0 for found in error.diagnostics), (path, passes, str(error))
            continue
        except ValueError as error:
            assert "option" in str(error)  # one that is required
            continue
        assert not without_position(made), (path, passes)


@pytest.mark.slow
def test_what_every_pass_makes_has_a_position() -> None:
    for path, module in list(programs())[::30]:
        check(path, module)


@pytest.mark.slow
def test_what_every_pass_makes_of_every_program_has_a_position() -> None:
    for path, module in programs():
        check(path, module)
