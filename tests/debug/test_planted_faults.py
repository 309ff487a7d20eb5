"""Tables of planted faults: `compare` names the op, `reduce` keeps it, errors are those of a slow model."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare_arrays import Tolerance, compare_arrays, worst_elements
from stablehlo_py.debug.reduce.candidate import Candidate

# Arrays: a model of the errors, element by element

SPECIAL = (0.0, -0.0, 1.0, -1.0, 1.5, 1e-3, -250.0, math.nan, math.inf, -math.inf)
TOLERANCES = (
    None,
    Tolerance(rtol=0.5),
    Tolerance(atol=0.25),
    Tolerance(rtol=0.0, atol=0.0),
    Tolerance(ulp=2),
    Tolerance(atol=1e-3, ulp=1),
)


def pairs(seed: int, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Arrays of which some elements are equal, some near, some far, and some not finite."""
    rng = np.random.default_rng(seed)
    shape = ((4, 5), (7,), (2, 1, 3), ())[seed % 4]
    if np.dtype(dtype).kind in "iu":
        expected = rng.integers(0, 100, shape).astype(dtype)
        return (expected + rng.integers(0, 3, shape).astype(dtype)).astype(dtype), expected
    expected = rng.choice(SPECIAL, shape).astype(np.float32)
    factor = rng.choice([1.0, 1.0, 1 + 1e-6, 1 + 1e-4, 1.25], shape)
    actual = np.where(rng.random(shape) < 0.15, rng.choice(SPECIAL, shape), expected * factor)
    return actual.astype(dtype), expected.astype(dtype)


def same(a: float, b: float) -> bool:
    return a == b or (a != a and b != b)


def units(a: Any, b: Any) -> int:
    """The number of steps to the next number of the type from one element to another."""
    if a.dtype.kind in "iu":
        return abs(int(a) - int(b))
    low, high, count = *sorted((float(a), float(b))), 0
    at = np.asarray(low, a.dtype)
    while float(at) < high and count < 50:
        at, count = np.nextafter(at, np.asarray(np.inf, a.dtype)).astype(a.dtype), count + 1
    return count


def is_good(a: Any, b: Any, tolerance: Tolerance, largest: float) -> bool:
    x, y = float(a), float(b)
    if same(x, y):
        return True
    if not (math.isfinite(x) and math.isfinite(y)):
        return False
    if tolerance.ulp is not None and units(a, b) <= tolerance.ulp:
        return True
    if tolerance.ulp is not None and tolerance.rtol is None and tolerance.atol is None:
        return False
    exact = a.dtype.kind in "iu"
    eps = 0.0 if exact else float(ml_dtypes.finfo(a.dtype).eps)
    rtol = tolerance.rtol if tolerance.rtol is not None else 0.0 if exact else max(1e-5, 4 * eps)
    default = 0.0 if exact else max(1e-8, rtol / 10 * largest)
    return abs(x - y) <= (tolerance.atol if tolerance.atol is not None else default) + rtol * abs(y)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int32, np.uint8])
@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_errors_are_those_of_the_model(dtype: Any, tolerance: Tolerance | None) -> None:
    for seed in range(12):
        actual, expected = pairs(seed, dtype)
        found = compare_arrays(actual, expected, tolerance)
        elements = list(zip(actual.reshape(-1), expected.reshape(-1), strict=True))
        finite = [(a, b) for a, b in elements if math.isfinite(float(a)) and math.isfinite(float(b))]
        largest = max((abs(float(b)) for _, b in elements if math.isfinite(float(b))), default=0.0)
        bad = [not is_good(a, b, tolerance or Tolerance(), largest) for a, b in elements]
        assert (found.ok, found.wrong, found.size) == (not any(bad), sum(bad), actual.size)
        errors = [abs(float(a) - float(b)) for a, b in finite]
        assert found.max_abs == max(errors, default=0.0)
        relative = [e / (abs(float(b)) or 1.0) for e, (_, b) in zip(errors, finite, strict=True)]
        assert found.max_rel == max(relative, default=0.0)
        assert found.histogram is not None and sum(found.histogram.values()) == actual.size
        lost = sum(
            math.isfinite(float(a)) != math.isfinite(float(b))
            or (not same(float(a), float(b)) and not math.isfinite(float(a)))
            for a, b in elements
        )
        assert found.histogram.get("not finite", 0) == lost
        if any(bad):
            assert bad[int(np.ravel_multi_index(found.index, actual.shape)) if actual.shape else 0]
        assert found.actual == str(actual[found.index]) and found.expected == str(expected[found.index])


@pytest.mark.parametrize("seed", range(8))
def test_the_worst_elements(seed: int) -> None:
    actual, expected = pairs(seed, np.float32)
    found = worst_elements(actual, expected, 4)
    scores = {}
    for place in np.ndindex(actual.shape):
        a, b = float(actual[place]), float(expected[place])
        if not same(a, b):
            both = math.isfinite(a) and math.isfinite(b)
            scores[place] = abs(a - b) / (abs(b) or 1.0) if both else math.inf
    order = sorted(scores, key=lambda place: -scores[place])[:4]
    assert [place for place, _, _ in found] == order
    assert [(a, b) for _, a, b in found] == [(str(actual[p]), str(expected[p])) for p in order]


def test_types_of_expected_arrays() -> None:
    one = np.float32([1.0, 2.0])
    assert compare_arrays(one, np.array([1.0, 2.0])).ok  # an f64 is rounded first
    assert not compare_arrays(one, np.array([1.0, 2.5])).ok
    assert compare_arrays(one, one.view("V4")).ok
    assert not compare_arrays(one, np.float32([1.0, 2.5]).view("V4")).ok
    assert "expected elements of type" in compare_arrays(np.int32([1]), np.float32([1])).problem
    assert "expected elements of type" in compare_arrays(one, one.view("V8")[:1].repeat(2)).problem
    assert compare_arrays(one, one[:1]).problem == "expected shape [1], got [2]"


# Programs

PROGRAM = """func.func @main(%x: tensor<4xf32>, %n: tensor<4xi32>)
  -> (tensor<4xf32>, tensor<2xi32>, tensor<4xf32>) {
  %a = stablehlo.add %x, %x : tensor<4xf32>
  %b = stablehlo.subtract %a, %x : tensor<4xf32>
  %c = stablehlo.cosine %b : tensor<4xf32>
  %d = stablehlo.negate %n : tensor<4xi32>
  %e = stablehlo.slice %d [0:2] : (tensor<4xi32>) -> tensor<2xi32>
  %f = stablehlo.reverse %c, dims = [0] : tensor<4xf32>
  %g = stablehlo.compare GT, %n, %d, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %h = stablehlo.select %g, %f, %a : tensor<4xi1>, tensor<4xf32>
  %i = stablehlo.log %h : tensor<4xf32>
  return %f, %e, %i : tensor<4xf32>, tensor<2xi32>, tensor<4xf32>
}
"""
INPUTS = [np.float32([0.5, -1.0, 2.0, 0.25]), np.int32([1, -2, 3, -4])]
FAULTS = (
    ("add %x, %x", "multiply %x, %x", 3),
    ("subtract %a, %x", "subtract %x, %a", 4),
    ("cosine %b", "sine %b", 5),
    ("negate %n", "not %n", 6),
    ("[0:2]", "[1:3]", 7),
    ("reverse %c, dims = [0]", "reverse %c, dims = []", 8),
    ("GT", "GE", 0),  # no elements are equal, so that nothing changes
    ("GT", "LT", 9),
    ("select %g, %f, %a", "select %g, %a, %f", 10),
    ("log %h", "log_plus_one %h", 11),
)


@pytest.mark.parametrize(("old", "new", "line"), FAULTS)
def test_the_op_that_is_named(old: str, new: str, line: int) -> None:
    other = shlo.parse(PROGRAM.replace(old, new))
    found = shlo.compare(shlo.parse(PROGRAM), other, INPUTS)
    assert found.ok == (line == 0)
    assert (found.first.line if found.first else 0) == line
    again = shlo.compare(shlo.parse(PROGRAM), other, INPUTS)
    assert again.to_dict() == found.to_dict()
    assert len(found.changes) == (1 if line == 0 else len(found.changes))


def test_nan_in_both_runs_is_equal_and_in_one_is_not() -> None:
    both = shlo.compare(shlo.parse(PROGRAM), shlo.parse(PROGRAM), INPUTS)
    assert both.ok  # logarithms of negative numbers
    other = shlo.parse(PROGRAM.replace("log %h", "cbrt %h"))
    found = shlo.compare(shlo.parse(PROGRAM), other, INPUTS)
    assert found.first is not None and found.first.line == 11


# What stays of a program: an op of several operands, results or regions, and of segments of operands

REDUCED = """func.func @main(%x: tensor<8xf32>, %n: tensor<8xi32>, %p: tensor<i1>, %i: tensor<i32>)
  -> (tensor<8xf32>, tensor<8xi32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %k = stablehlo.constant dense<0> : tensor<i32>
  %y = stablehlo.tanh %x : tensor<8xf32>
  %s:2 = "stablehlo.sort"(%y, %n) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %lt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  %r:2 = "stablehlo.reduce"(%s#0, %s#1, %z, %k) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %u = stablehlo.add %a, %c : tensor<f32>
    %v = stablehlo.maximum %b, %d : tensor<i32>
    stablehlo.return %u, %v : tensor<f32>, tensor<i32>
  }) : (tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  %q = "stablehlo.if"(%p) ({
    stablehlo.return %s#0 : tensor<8xf32>
  }, {
    %m = stablehlo.negate %s#0 : tensor<8xf32>
    stablehlo.return %m : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %t = stablehlo.dynamic_slice %q, %i, sizes = [4] : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>
  %w = stablehlo.concatenate %t, %t, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %bc = stablehlo.broadcast_in_dim %r#0, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %o = stablehlo.add %w, %bc : tensor<8xf32>
  return %o, %s#1 : tensor<8xf32>, tensor<8xi32>
}
"""


class Has:
    """Interesting is what has an op."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, candidate: Candidate) -> bool:
        return any(op.name == self.name for op in candidate.module.walk())

    def suspect(self, candidate: Candidate) -> Candidate | None:
        return None


@pytest.mark.parametrize(
    "name", ["tanh", "sort", "reduce", "if", "dynamic_slice", "concatenate", "broadcast_in_dim", "add"]
)
def test_one_op_stays(name: str) -> None:
    check = Has(f"stablehlo.{name}")
    found = shlo.reduce(shlo.parse(REDUCED), check)
    module = found.candidate.module
    main = [op for op in module.functions["main"].regions[0].block.ops if op.name.startswith("stablehlo.")]
    assert f"stablehlo.{name}" in found.candidate.text
    assert len(main) == 1
    assert not shlo.verify(module)
    shlo.run(module, found.candidate.inputs)
    again = shlo.reduce(shlo.parse(REDUCED), check)
    assert again.candidate.text == found.candidate.text and again.steps == found.steps
