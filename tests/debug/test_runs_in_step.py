"""The run in step: which op is told, what ends the run, and when the results of the whole programs decide."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.driver import Comparer, _unmatched_lines
from stablehlo_py.debug.compare.errors import ValueDifference
from stablehlo_py.debug.compare.findings import OpDifference
from stablehlo_py.debug.compare.run import Counterparts, InStep, Settings
from stablehlo_py.debug.compare.sources import Event
from stablehlo_py.debug.compare.stepwise import Stepwise
from stablehlo_py.debug.compare_arrays import ArrayComparison, Tolerance
from stablehlo_py.interpreter.observer import Moment

X = np.array([0.5, -2.0], np.float32)

NEGATED = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}"""
PLAIN = NEGATED.replace("  %1 = stablehlo.negate %0 : tensor<2xf32>\n", "").replace("return %1", "return %0")


@pytest.mark.parametrize("type", ["f32", "bf16"])
def test_results_decide_where_an_op_has_no_counterpart(type: str) -> None:
    """All ops that have one agree; whether the other program has other float types does not matter."""
    found = shlo.compare(shlo.parse(NEGATED), shlo.parse(PLAIN.replace("f32", type)), [X])
    assert found.first is None and (found.ops, found.unmatched) == (1, 1)
    assert not found.ok and [each.ok for each in found.results] == [False]


def test_results_decide_where_the_error_of_an_op_is_small() -> None:
    """A constant differs by 1e-7, which is all that is left of it two ops later."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.abs %x : tensor<2xf32>
  %1 = stablehlo.subtract %c, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}"""
    x = np.ones(2, np.float32)
    found = shlo.compare(shlo.parse(text), shlo.parse(text.replace("1.0>", "1.0000001>")), [x])
    assert found.first is not None and found.first.ok and found.first.line == 2
    assert not found.ok and not found.results[0].ok


def test_another_number_of_results_of_which_the_first_differs() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> (TYPES) {
  %0 = stablehlo.sine %x : tensor<2xf32>
  %1 = stablehlo.cosine %x : tensor<2xf32>
  return VALUES : TYPES
}"""
    types = ["tensor<2xf32>", "tensor<2xf32>, tensor<2xf32>"]
    two, one = (
        shlo.parse(text.replace("VALUES", values).replace("TYPES", type))
        for values, type in (("%0, %1", types[1]), ("%1", types[0]))
    )
    for first, second, only in ((two, one, "first"), (one, two, "second")):
        found = shlo.compare(first, second, [X])
        assert found.first is None and [each.ok for each in found.results] == [False, False]
        assert found.results[1].comparison is not None
        assert found.results[1].comparison.problem == f"only the {only} program has a result 1"


@pytest.mark.parametrize("floor", [0.0, 1e-3])
def test_an_error_that_is_no_rounding_is_wrong_with_a_floor_too(floor: float) -> None:
    """The product in bf16 is the rounded one; the sum is within the tolerance of the type alone."""
    text = """func.func @main(%x: tensor<TYPE>) -> tensor<TYPE> {
  %0 = stablehlo.multiply %x, %x : tensor<TYPE>
  return %0 : tensor<TYPE>
}"""
    wide, narrow = (shlo.parse(text.replace("TYPE", type)) for type in ("f32", "bf16"))
    wrong = shlo.parse(text.replace("TYPE", "bf16").replace("multiply", "add"))
    x = [np.float32(2.03125)]  # 2.03125 + 2.03125 = 4.0625, and the square is 4.126
    assert Comparer(wide, x, floor=floor).with_program(narrow).ok
    assert not Comparer(wide, x, floor=floor).with_program(wrong).ok


def test_a_small_error_does_not_end_the_run() -> None:
    """The ops after it are compared, too, and no note says that the rest is equal."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<3.0> : tensor<2xf32>
  %0 = stablehlo.multiply %x, %c : tensor<2xf32>
  %1 = stablehlo.sine %0 : tensor<2xf32>
  %2 = stablehlo.tanh %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}"""
    found = shlo.compare(shlo.parse(text), shlo.parse(text.replace("3.0>", "3.0000002>")), [X])
    assert found.first is not None and found.first.ok and not found.notes
    assert found.ok and found.ops == 3
    wrong = text.replace("stablehlo.multiply %x, %c", "stablehlo.divide %x, %c")
    found = shlo.compare(shlo.parse(text), shlo.parse(wrong), [X])
    assert found.ops == 1 and found.notes == ["the rest of both programs is equal"]


def test_a_floor_is_of_the_results_of_the_function_that_is_compared() -> None:
    """The results of `main` are a thousand times those of `small`."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<1000.0> : tensor<2xf32>
  %0 = stablehlo.multiply %x, %c : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @small(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.multiply %x, %c : tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
    module, other = shlo.parse(text), shlo.parse(text.replace("dense<1.0>", "dense<1.1>"))
    x = [np.ones(2, np.float32)]
    assert not Comparer(module, x, "small", floor=0.01).with_program(other).ok
    assert Comparer(module, x, "small", floor=0.2).with_program(other).ok


LOOP = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = func.call @next(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %0 : tensor<i32>
}
func.func private @next(%i: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.add %i, %one : tensor<i32>
  return %j : tensor<i32>
}"""


def test_ops_that_the_other_run_does_not_reach_have_a_counterpart() -> None:
    """It fails before the negation: of which no line is told as one without a counterpart."""
    check = "  check.expect_eq_const %0, dense<9.0> : tensor<2xf32>\n  %1"
    found = shlo.compare(shlo.parse(NEGATED), shlo.parse(NEGATED.replace("  %1", check, 1), "b.mlir"), [X])
    assert not found.ok and str(found.error).startswith("b.mlir:3:3")
    assert (found.ops, found.unmatched, found.unmatched_lines) == (1, 1, [])


def test_iterations_of_ops_in_conditions_and_in_functions() -> None:
    told: list[tuple[str, tuple[int, ...], int]] = []

    def emit(event: Event, values: tuple[Any, ...]) -> None:
        told.append((str(event.op.results[0]), event.iterations, int(values[0])))

    assert Stepwise(shlo.parse(LOOP), "main", "numpy").run({(0, 0): [np.int32(1)]}, emit) == {(0, 0): (3,)}
    assert told == [
        ("%p", (0,), 1), ("%j", (0,), 2), ("%j", (0,), 2), ("%p", (1,), 1), ("%j", (1,), 3), ("%j", (1,), 3),
        ("%p", (2,), 0), ("%0", (), 3),
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "end"), [(8, "main.107"), (9, "main.107, ...")])
def test_eight_arrays_without_a_value_are_named(tmp_path: Path, count: int, end: str) -> None:
    arrays = {f"main.{100 + i}": X for i in range(count)}
    np.savez(tmp_path / "a.npz", **{"main.1": -2 * X}, **arrays)
    found = shlo.compare(shlo.parse(NEGATED), None, [X], against=tmp_path / "a.npz")
    assert found.notes[-1].endswith(end) and found.notes[-1].count("main.") == 8
    assert (found.ops, found.unmatched, found.unmatched_lines) == (1, 1, [])  # most ops may have no array


def test_an_operand_names_eight_lines_without_a_counterpart() -> None:
    """Of a chain of ten ops, the last eight."""
    lines = "\n".join([f"  %{i + 1} = stablehlo.sine %{i} : tensor<2xf32>" for i in range(10)])
    module = shlo.parse(
        f"func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {{\n{lines}\n  return %10 : tensor<2xf32>\n}}"
    )
    last = module.functions["main"].entry_block.terminator
    assert last is not None
    assert _unmatched_lines(last.operands[0], {last}, module) == "lines 4-11"


# Which execution is told --------------------------------------------------------------------------------


def difference(line: int, ok: bool, error: float) -> OpDifference:
    value = ValueDifference("%a", "t", ArrayComparison(ok, max_rel=error, histogram={"0": 1}))
    return OpDifference("a.b", line, 1, "", 0, "", (), (), (0, 0), (), ok, (value,))


@pytest.mark.parametrize(
    ("found", "first", "others"),
    [
        # The largest error of the second op, which is not told first.
        ([(2, False, 0.1), (3, False, 0.2), (3, False, 0.4), (3, False, 0.3)], (2, 0.1), [(3, 0.4)]),
        # A wrong execution, before and after one whose larger error is explained.
        ([(2, False, 0.1), (3, True, 0.9), (3, False, 0.2)], (2, 0.1), [(3, 0.2)]),
        ([(2, False, 0.1), (3, False, 0.2), (3, True, 0.9)], (2, 0.1), [(3, 0.2)]),
        # Wrong ops before those whose larger errors are explained.
        ([(2, False, 0.1), (3, True, 0.9), (4, False, 0.2), (5, False, 0.3)], (2, 0.1),
         [(5, 0.3), (4, 0.2), (3, 0.9)]),
        # The first wrong execution takes the place of one with a small error.
        ([(3, True, 0.9), (2, False, 0.1), (4, False, 0.2)], (2, 0.1), [(4, 0.2), (3, 0.9)]),
    ],
)  # fmt: skip
def test_wrong_executions_are_told_before_small_errors(
    found: list[tuple[int, bool, float]], first: tuple[int, float], others: list[tuple[int, float]]
) -> None:
    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n" + "".join(
        f"  %{i} = stablehlo.sine %x : tensor<2xf32>\n" for i in range(2, 6)
    )
    module = shlo.parse(text + "  return %2 : tensor<2xf32>\n}")
    ops = {module.line(op): op for op in module.walk()}
    counterparts = Counterparts(module, {op: op for op in ops.values()}, lambda op: iter(()))
    source: Any = SimpleNamespace(error=None)
    run = InStep(module, counterparts, source, Settings(Tolerance(), lambda op: False, 5))
    for line, ok, error in found:
        op = ops[line]
        run._add(Moment(module, op.name, op, (op,), (), (0, 0)), (X,), difference(line, ok, error))
    comparison = run.finish()
    assert comparison.first is not None
    assert (comparison.first.line, comparison.first.size) == first
    assert [(each.line, each.size) for each in comparison.others] == others
