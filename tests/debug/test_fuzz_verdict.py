"""Verdicts of a fuzzer: which result differs, by which op, and in what way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.fuzz.verdict import Verdict, judged

MODULE = shlo.parse("""func.func @main(
  %x: tensor<2xf32>, %n: tensor<2xi32>
) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %0 = stablehlo.negate %x : tensor<2xf32>
  %1 = stablehlo.not %n : tensor<2xi32>
  return %x, %0, %1 : tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}""")
ERROR = "\nerror: 7:3: stablehlo.not of tensor<2xi32> at %5\nmore"
ONE = np.float32(1)
NEAR = np.nextafter(ONE, np.float32(2))


def results(second: Any = (1, 2), third: Any = (1, 2), first: Any = (1, 2)) -> list[Any]:
    return [np.float32(first), np.float32(second), np.int32(third)]


@pytest.mark.parametrize(
    ("a", "b", "op", "cause", "example", "at"),
    [
        (results(), results(third=(1, 3)), "stablehlo.not", "results differ: i32, other values",
         "result 2, element [1]: 2 and 3", 2),
        (results(second=(5, 2)), results(third=(1, 3)), "stablehlo.negate",
         "results differ: f32, other values", "result 1, element [0]: 5.0 and 1.0", 1),
        (results(first=(0, 2)), results(first=(0, -2)), "", "results differ: f32, other values",
         "result 0, element [1]: 2.0 and -2.0", 0),
        (results(second=(1, np.nan)), results(), "stablehlo.negate", "results differ: f32, NaN in one",
         "result 1, element [1]: nan and 2.0", 1),
        (results(second=(np.inf, 2)), results(), "stablehlo.negate", "results differ: f32, infinite in one",
         "result 1, element [0]: inf and 1.0", 1),
        (results(second=(np.inf, 2)), results(second=(-np.inf, 2)), "stablehlo.negate",
         "results differ: f32, other values", "result 1, element [0]: inf and -inf", 1),
        (results(second=(NEAR, 2)), results(), "stablehlo.negate", "results differ: f32, last places",
         "result 1, element [0]: 1.0000001192092896 and 1.0", 1),
        (results(second=(1, 2, 3)), results(), "stablehlo.negate", "results differ in shape",
         "result 1: (3,) and (2,)", 1),
        (ERROR, results(), "stablehlo.not", "one: error: :: stablehlo.not of tensor at ", ERROR, -1),
        (results(), " \n", "", "two: an error without a message", " \n", -1),
        ("first", "second", "", "one: first", "first", -1),
    ],
)  # fmt: skip
def test_verdicts(a: Any, b: Any, op: str, cause: str, example: str, at: int) -> None:
    found = judged(MODULE, ["one", "two"], [a, b])
    assert found is not None
    assert (found.op, found.cause, found.at) == (op, cause, at)
    assert found.example == example


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (results(), results()),
        (results(second=(np.nan, 0.0)), results(second=(np.nan, -0.0))),
        ([*results()[:2], None], [*results()[:2], None]),
    ],
)
def test_no_difference(a: Any, b: Any) -> None:
    assert judged(MODULE, ["one", "two"], [a, b]) is None


@pytest.mark.parametrize(("places", "cause"), [(1, "last places"), (4, "last places"), (5, "other values")])
@pytest.mark.parametrize("sign", [1, -1])
def test_up_to_four_places_may_be_rounding(places: int, cause: str, sign: int) -> None:
    """From 2, where the numbers below are closer to each other than those above."""
    other = np.float32(2) + sign * places * np.float32(2.0 ** (-22 if sign > 0 else -23))
    found = judged(MODULE, ["one", "two"], [results(), results(second=(1, other))])
    assert found is not None and found.cause == f"results differ: f32, {cause}"


def test_programs_that_go_wrong_in_the_same_way() -> None:
    error, other, differs = Verdict("", "e", "", -1), Verdict("", "f", "", -1), Verdict("", "d", "", 0)
    assert error.is_like(error) and not error.is_like(other) and not error.is_like(differs)
    assert differs.is_like(Verdict("", "x", "", 3)) and not differs.is_like(error)
