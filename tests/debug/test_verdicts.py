"""What a comparison makes of errors: which is first, which are others, in which iteration, and what is ok."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.errors import ValueDifference, is_small, same_bits, value_error
from stablehlo_py.debug.compare.findings import Comparison, OpDifference
from stablehlo_py.debug.compare_arrays import ArrayComparison, Tolerance

BF16 = ml_dtypes.bfloat16
INF, NAN = float("inf"), float("nan")

# Values -------------------------------------------------------------------------------------------------

EQUAL = ValueDifference("%a", "t", None)
SMALL = ValueDifference("%a", "t", ArrayComparison(True, max_rel=1e-9, histogram={"1": 2}))
LARGE = ValueDifference("%a", "t", ArrayComparison(False, wrong=1, max_rel=0.5, histogram={"0": 1}))
LOST = ValueDifference("%a", "t", ArrayComparison(False, max_rel=0.1, histogram={"0": 1, "not finite": 1}))
SHAPE = ValueDifference("%a", "t", ArrayComparison(False, problem="shape"))


def test_sizes_of_errors() -> None:
    values = (EQUAL, SMALL, LARGE, LOST, SHAPE)
    assert [(each.ok, each.size) for each in values] == [
        (True, 0.0), (True, 1e-9), (False, 0.5), (False, INF), (False, INF),
    ]  # fmt: skip
    assert EQUAL.to_dict() == {"name": "%a", "type": "t", "ok": True, "error": None, "worst": []}
    told = replace(LARGE, worst=(((1, 2), "3.0", "4.0"),)).to_dict()
    assert told["worst"] == [{"index": [1, 2], "first": "3.0", "second": "4.0"}] and told["ok"] is False
    assert told["error"]["max_rel"] == 0.5 and "map" not in told


def op(ok: bool, *results: ValueDifference) -> OpDifference:
    return OpDifference("a.b", 3, 1, "text", 0, "", ("from",), (2,), (0, 1), ("detail",), ok, results)


def test_an_op_has_the_size_of_its_largest_error() -> None:
    assert [op(True, *each).size for each in ((), (SMALL, LARGE, EQUAL), (LARGE, LOST))] == [0.0, 0.5, INF]
    told = op(False, LARGE, EQUAL).to_dict()
    plain = ("op", "line", "column", "text", "other_line", "other_text", "ok")
    assert {name: told[name] for name in plain} == {
        "op": "a.b", "line": 3, "column": 1, "text": "text", "other_line": 0, "other_text": "", "ok": False,
    }  # fmt: skip
    assert (told["origin"], told["iterations"], told["process"], told["details"]) == (
        ["from"], [2], [0, 1], ["detail"],
    )  # fmt: skip
    assert [each["ok"] for each in told["results"]] == [False, True]
    assert told["operands"] == told["accumulated"] == []


@pytest.mark.parametrize(
    ("found", "covers", "ok"),
    [
        (Comparison(), False, False),  # nothing was compared
        (Comparison(ops=1), True, True),
        (Comparison(results=[EQUAL]), True, True),
        (Comparison(results=[EQUAL, LARGE]), True, False),
        (Comparison(first=op(True, SMALL), ops=2), True, True),
        (Comparison(first=op(False, LARGE), ops=2), True, False),
        (Comparison(first=op(True, SMALL), ops=2, results=[SHAPE]), True, False),
        (Comparison(ops=1, error=shlo.RunError("no")), True, False),
        (Comparison(ops=1, unmatched=3, unmatched_lines=[1]), True, True),
    ],
)
def test_what_is_ok(found: Comparison, covers: bool, ok: bool) -> None:
    assert (found.covers, found.ok) == (covers, ok)
    told = found.to_dict()
    assert told["ok"] is ok and told["ops"] == found.ops and told["unmatched"] == found.unmatched
    assert told["error"] == (None if found.error is None else "no")
    assert (told["first"] is None) is (found.first is None) and len(told["results"]) == len(found.results)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (None, None, True),  # tokens
        (None, np.float32(1), False),
        (np.float32([1, NAN]), np.float32([1, NAN]), True),
        (np.float32([0.0]), np.float32([-0.0]), False),
        (np.float32([1]), np.float64([1]), False),
        (np.float32([1]), np.float32([[1]]), False),
        (np.int32([1, 2]), np.int32([1, 2]), True),
        (np.int32([1, 2]), np.int32([1, 3]), False),
        (np.array([True]), np.array([False]), False),
        (np.complex64([1 + 2j]), np.complex64([1 + 2j]), True),
        (np.complex64([1 + 2j]), np.complex64([1 + 3j]), False),
        (np.complex64([1 + 2j]), np.complex64([2 + 2j]), False),
        (np.ones(2, BF16), np.ones(2, BF16), True),
        (np.ones((4, 2), np.float32)[::2], np.ones((2, 2), np.float32), True),  # strided
        (np.float32(1), np.float32(1), True),
        ((np.float32(1), None), (np.float32(1), None), True),
        ((np.float32(1), None), (np.float32(2), None), False),
        ((np.float32(1),), (np.float32(1), None), False),
        ((np.float32(1),), np.float32(1), False),
    ],
)
def test_values_that_are_equal_bit_by_bit(a: Any, b: Any, same: bool) -> None:
    assert same_bits(a, b) is same_bits(b, a) is same


@pytest.mark.parametrize(
    ("a", "b", "small"),
    [
        (np.float32([1000, 1e-3]), np.float32([1000, 2e-3]), True),  # beside the largest
        (np.float64([1, 1 + 0.9e-6]), np.float64([1, 1]), True),
        (np.float64([1, 1 + 1.1e-6]), np.float64([1, 1]), False),
        (np.float64([-1 - 1.1e-6]), np.float64([-1]), False),
        (np.float64([NAN]), np.float64([NAN]), False),
        (np.float64([INF]), np.float64([INF]), False),
        (np.float32([1, 1]), np.float32([INF, 1]), False),
        (np.float32([INF, 1]), np.float32([1, 1]), False),
        (np.float64([]), np.float64([]), False),
        (np.float64([1]), np.float64([[1]]), False),
        (np.float64([1]), np.float32([1]), False),
        (np.float16([1]), np.float16([1]), False),  # has another tolerance
        (np.int32([1]), np.int32([1]), False),
    ],
)
def test_errors_that_are_certainly_small(a: Any, b: Any, small: bool) -> None:
    assert is_small(a, b) is small


def test_the_error_of_a_value() -> None:
    value = (
        shlo.parse("func.func @main(%x: tensor<3xf32>) { return }").functions["main"].entry_block.arguments[0]
    )
    x = np.float32([1, 2, 4])
    assert value_error(value, x, x.copy(), Tolerance()) == ValueDifference("%x", "tensor<3xf32>", None)
    small = value_error(value, x, x + np.float32([0, 0, 2**-20]), Tolerance())
    assert small.ok and small.map is None and [index for index, _, _ in small.worst] == [(2,)]
    wrong = value_error(value, x, np.float32([1, 2, 8]), Tolerance())
    assert not wrong.ok and wrong.worst == (((2,), "4.0", "8.0"),)
    assert wrong.map is not None and wrong.map.cells == ((0.0, 0.0, 4.0),)
    shape = value_error(value, x, x[:2], Tolerance())
    assert not shape.ok and shape.worst == () and shape.map is None and shape.comparison is not None


# Ops ----------------------------------------------------------------------------------------------------

CONSTANTS = """func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {
  %a = stablehlo.constant dense<1.0> : tensor<2xf64>
  %b = stablehlo.constant dense<3.0> : tensor<2xf64>
  %0 = stablehlo.multiply %x, %a : tensor<2xf64>
  %1 = stablehlo.add %0, %b : tensor<2xf64>
  %2 = stablehlo.sine %1 : tensor<2xf64>
  return %2 : tensor<2xf64>
}"""


def test_the_first_op_is_the_first_wrong_one() -> None:
    """A small error before it is told behind those that are wrong, and so are small ones after it."""
    a, b = "dense<1.0>", "dense<3.0>"
    x = [np.array([1.0, 2.0])]
    for first, second, lines, oks in (
        ("dense<1.000000001>", b, [2], [True]),
        ("dense<1.000000001>", "dense<4.0>", [3, 2], [False, True]),
        ("dense<2.0>", "dense<3.000000001>", [2, 3], [False, True]),
        ("dense<2.0>", "dense<3.5>", [2, 3], [False, False]),
        ("dense<1.000000001>", "dense<3.000000002>", [2, 3], [True, True]),
    ):
        other = CONSTANTS.replace(a, first).replace(b, second)
        found = shlo.compare(shlo.parse(CONSTANTS), shlo.parse(other), x)
        assert found.first is not None
        told = [found.first, *found.others]
        assert ([each.line for each in told], [each.ok for each in told]) == (lines, oks)
        assert found.ok is all(oks)


FALLING = """func.func @main(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %r:3 = stablehlo.while(%v = %x, %f = %x, %c = %x) : tensor<f64>, tensor<f64>, tensor<f64>
  cond {
    %p = stablehlo.compare GT, %v, %one : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %k = stablehlo.floor %v : tensor<f64>
    %d = stablehlo.ceil %v : tensor<f64>
    %n = stablehlo.subtract %v, %one : tensor<f64>
    stablehlo.return %n, %k, %d : tensor<f64>, tensor<f64>, tensor<f64>
  }
  return %r#1, %r#2 : tensor<f64>, tensor<f64>
}"""


class Exchanges:
    """An engine that has `round_nearest_even` for `floor`, and `floor` for `ceil`."""

    name, takes = "exchanges", "module"

    def is_available(self) -> bool:
        return True

    def prepare(self, module: shlo.Module, entry: str, options: Any) -> Any:
        text = shlo.format(module).replace("stablehlo.floor", "stablehlo.round_nearest_even")
        program = shlo.compile(shlo.parse(text.replace("stablehlo.ceil", "stablehlo.floor")), entry)
        return _Executable(program.plan, program)


class _Executable:
    def __init__(self, plan: Any, run: Any) -> None:
        self.plan, self._run = plan, run

    def __call__(self, *inputs: Any) -> Any:
        return self._run(*inputs)


@pytest.mark.parametrize(
    ("x", "first", "other"),
    [
        # 5.6, 4.6, 3.6, 2.6, 1.6: the floor is wrong from the start; the ceiling most where the floor is 1.
        (5.6, ((0,), "5.0", "6.0"), ((4,), "2.0", "1.0")),
        # 4.4, 3.4, 2.4, 1.4: rounded, they are the floor.
        (4.4, ((0,), "5.0", "4.0"), None),
    ],
)
def test_the_iteration_of_the_first_error_and_of_the_largest(x: float, first: Any, other: Any) -> None:
    found = shlo.compare(shlo.parse(FALLING), None, [np.float64(x)], engine=Exchanges())  # type: ignore[arg-type]

    def told(each: OpDifference) -> Any:
        ((_, mine, theirs),) = each.results[0].worst
        return each.iterations, mine, theirs

    assert found.first is not None and told(found.first) == first
    assert [told(each) for each in found.others] == ([other] if other else [])
    assert found.first.operands[0].name == "%v" and found.first.operands[0].comparison is None


def test_results_in_another_order_are_an_error_of_the_return() -> None:
    """Of no iteration, whatever loops are in the program."""
    text = """func.func @main(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = stablehlo.sine %x : tensor<f64>
  %1 = stablehlo.cosine %x : tensor<f64>
  return %0, %1 : tensor<f64>, tensor<f64>
}"""
    other = text.replace("return %0, %1", "return %1, %0")
    found = shlo.compare(shlo.parse(text), shlo.parse(other), [np.float64(0.5)])
    assert found.first is not None and not found.ok
    assert (found.first.op, found.first.line, found.first.other_line) == ("func.return", 4, 4)
    assert (found.first.iterations, found.first.process) == ((), (0, 0))
    assert [each.name for each in found.first.results] == ["%0", "%1"]
    assert found.first.details == ("the order of operands: from %0, %1 to %1, %0",)


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        (np.zeros(3, np.float32), "expected shape [3], got [2]"),
        (np.zeros(2, np.int32), ""),  # compared as numbers, and not used
        (np.zeros(2, np.float64), ""),  # used in the type of the op
    ],
)
def test_an_array_that_cannot_take_the_place_of_a_value(tmp_path: Path, stored: Any, problem: str) -> None:
    """The run goes on with its own, so that what follows is not accused."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %x : tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}"""
    x = np.zeros(2, np.float32)  # e^0 is 1
    taken = stored if stored.dtype == np.float64 else np.ones(2, np.float32)
    np.savez(tmp_path / "a.npz", **{"main.0": stored, "main.1": -taken.astype(np.float32)})
    found = shlo.compare(shlo.parse(text), None, [x], against=tmp_path / "a.npz")
    assert found.first is not None and not found.ok and (found.first.line, found.ops) == (2, 2)
    (error,) = found.first.results
    assert error.comparison is not None and error.comparison.problem == problem
    assert found.others == []


def test_a_comparison_in_a_notebook() -> None:
    found = shlo.compare(shlo.parse(CONSTANTS), shlo.parse(CONSTANTS.replace("3.0", "4.0")), [np.ones(2)])
    assert "%b" in found._repr_html_() and found._repr_html_().startswith("<style>")
