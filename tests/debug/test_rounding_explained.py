"""What rounding explains: `precision.py` and `conditioning.py` of `compare`, with errors counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.conditioning import Conditioning, largest_error, nudged
from stablehlo_py.debug.compare.precision import (
    Precision,
    alike,
    as_type,
    epsilon,
    is_float,
    is_rounding,
    narrower,
    significand,
    type_of,
)
from stablehlo_py.debug.compare_arrays import Tolerance
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import FloatType, TensorType

BF16 = ml_dtypes.bfloat16
F16, B16, F32, F64 = (FloatType(name) for name in ("f16", "bf16", "f32", "f64"))
INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("name", "bits"), [("f64", 53), ("f32", 24), ("f16", 11), ("bf16", 8), ("f8E4M3FN", 4), ("f8E5M2", 3)]
)
def test_bits_of_types(name: str, bits: int) -> None:
    """Those of the significand, the leading one counted; the number after 1 is as far as its last bit."""
    assert (significand(FloatType(name)), epsilon(FloatType(name))) == (bits, 2.0 ** (1 - bits))


@pytest.mark.parametrize(
    ("value", "yes"),
    [
        (np.ones(1, np.float32), True),
        (np.ones(1, BF16), True),
        (np.float64(1), True),
        (np.ones(1, np.complex64), False),
        (np.ones(1, np.int32), False),
        (np.ones(1, bool), False),
        (1.0, False),
        ((), False),
    ],
)
def test_arrays_of_floats(value: Any, yes: bool) -> None:
    assert is_float(value) is yes
    assert (as_type(value, TensorType((1,), F16)) is value) is not yes


@pytest.mark.parametrize(
    ("a", "b", "common", "narrow"),
    [
        (np.float16, np.float32, np.float32, F16),
        (np.float32, BF16, np.float32, B16),
        (np.float16, BF16, np.float32, B16),  # none of the two holds the other
        (np.float64, BF16, np.float64, B16),
        (np.float32, np.float64, np.float64, F32),
        (np.float32, np.float32, None, None),
        (np.int32, np.float32, None, None),
        (np.float32, np.complex64, None, None),
    ],
)
def test_arrays_of_two_types(a: Any, b: Any, common: Any, narrow: FloatType | None) -> None:
    x, y = np.ones(2, a), np.ones(2, b)
    made = alike(x, y)
    assert [each.dtype for each in made] == ([common, common] if common else [a, b])
    assert (made[0] is x and made[1] is y) is (common is None)
    assert alike(x, np.ones(3, b))[0] is x
    assert (narrower(x, y), narrower(y, x)) == (narrow, narrow)


def test_types_of_arrays() -> None:
    assert [type_of(np.ones(1, dtype)) for dtype in (np.float16, BF16, np.float64)] == [F16, B16, F64]
    assert as_type(np.float32([1 + 2**-12]), TensorType((1,), F16)).tolist() == [1.0]
    x = np.float32([1])
    assert as_type(x, TensorType((1,), F32)) is x
    assert as_type(x, F16) is x  # a type of no array


@pytest.mark.parametrize(
    ("mine", "theirs", "computed", "constant"),
    [
        # The last place of f16 at 1 is 2^-10: one is explained, four are not.
        ([1.0], [1 + 2**-10], True, True),
        ([1 + 2**-10], [1.0], True, True),
        ([1.0], [1 + 2**-8], False, False),
        ([-1024.0], [-1025.0], True, True),
        # The root mean square: what is small beside the largest element is not seen, in many elements it is.
        ([1000.0, 0.001], [1000.0, 0.002], True, True),
        ([1.0, 1.0, 1.0, 1.0], [1 + 2**-8, 1.0, 1.0, 1.0], False, False),
        ([1.0] * 100, [1 + 2**-8] + [1.0] * 99, True, True),
        # Below the smallest normal number, 2^-14, places are as wide as there: 2^-24.
        ([0.0, 2**-20], [2**-25, 2**-20], True, True),
        ([0.0, 2**-20], [2**-20, 2**-20], False, False),
        # What vanishes as a whole is explained by the range, but not of a constant.
        ([0.0], [2**-25], True, False),
        ([2**-25], [0.0], True, False),
        ([0.0], [0.0], True, True),
        # Numbers that are not finite in one of them are not compared.
        ([INF, 1.0], [2.0, 1.0], True, True),
        ([1.0, 1.0], [NAN, 2.0], False, False),
        ([INF], [1.0], True, True),
    ],
)
def test_errors_of_a_rounding(
    mine: Sequence[float], theirs: Sequence[float], computed: bool, constant: bool
) -> None:
    a, b = np.float64(mine), np.float64(theirs)
    assert is_rounding(a, b, F16) is computed
    assert is_rounding(a, b, F16, is_computed=False) is constant


def test_what_has_no_roundings() -> None:
    assert is_rounding(np.int32([1]), np.int32([2]), F16)
    assert is_rounding(np.float32([1]), np.float32([[2]]), F16)
    assert not is_rounding(np.float32([1]), np.float32([2]), F16)


@pytest.mark.parametrize(
    ("dtype", "rounding", "factors"),
    [
        (np.float32, None, {1 - 2**-24, 1 + 2**-23}),  # the neighbours of 1
        (np.float16, None, {1 - 2**-11, 1 + 2**-10}),
        (np.float32, F16, {1 - 2**-10, 1.0, 1 + 2**-10}),
        (BF16, None, {1 - 2**-7, 1.0, 1 + 2**-7}),
        (np.float64, B16, {1 - 2**-7, 1.0, 1 + 2**-7}),
    ],
)
def test_neighbours(dtype: Any, rounding: FloatType | None, factors: set[float]) -> None:
    """Each of the neighbours is drawn, and no other number."""
    found = nudged(np.ones((8, 16), dtype), np.random.default_rng(0), rounding)
    assert (found.dtype, found.shape) == (dtype, (8, 16))
    assert {*found.astype(np.float64).ravel().tolist()} == factors
    for other in (np.int32([1]), np.complex64([1])):
        assert nudged(other, np.random.default_rng(0), rounding) is other


@pytest.mark.parametrize(
    ("a", "b", "error"),
    [
        (np.float32([1, 2]), np.float32([1, 2]), 0),
        (np.float32([1, 2, 8]), np.float32([1, 4, 7]), 2),
        (np.float32([4]), np.float32([-4]), 8),
        (np.float32([NAN, INF]), np.float32([NAN, INF]), 0),
        (np.float32([NAN, 1]), np.float32([1, 1]), INF),
        (np.float32([INF]), np.float32([-INF]), INF),
        (np.float32([INF]), np.float32([1]), INF),
        (np.float32([1]), np.float32([[1]]), INF),
        (np.int32([1]), np.int32([1]), INF),
        (np.float32([]), np.float32([]), 0),
        (np.float16([1]), np.float32([1 + 2**-12]), 2**-12),
        (np.ones(1, BF16), np.float32([3]), 2),
    ],
)
def test_the_largest_error(a: Any, b: Any, error: float) -> None:
    assert largest_error(a, b) == largest_error(b, a) == error


OPS = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %z = stablehlo.subtract %x, %y : tensor<2xf32>
  %j = stablehlo.add %i, %i : tensor<2xi32>
  %r = stablehlo.custom_call @drawn(%x) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
"""


def ops(function: Operation) -> dict[str, Operation]:
    """The ops of a function by the names of their results."""
    return {str(op.results[0])[1:]: op for op in function.walk() if op.results}


@pytest.mark.parametrize(
    ("op", "error", "explained"),
    [
        # 1 - 1: neighbours of 1 are 2^-24 below and 2^-23 above. Four times their distance is explained.
        ("z", 0.0, True),
        ("z", 2**-21, True),
        ("z", 2**-20, False),
        ("z", -(2**-20), False),
        ("z", NAN, False),
        ("r", 0.0, False),  # what has effects is not run again
        ("j", 0, False),  # integers are not rounded
    ],
)
def test_operands_in_the_last_place(op: str, error: float, explained: bool) -> None:
    module = shlo.parse(OPS)
    found = ops(module.functions["main"])[op]
    dtype = np.int32 if op == "j" else np.float32
    operands = tuple(np.ones(2, dtype) for _ in found.operands)
    mine, theirs = np.zeros(2, dtype), np.array([0, error]).astype(dtype)
    assert Conditioning(module).explains(found, operands, (mine,), (theirs,)) is explained


def test_operands_in_the_last_place_of_a_narrower_type() -> None:
    """In f16, it is 2^-10: an error of 2^-8 is explained, of 2^-6 it is not."""
    module = shlo.parse(OPS)
    op = ops(module.functions["main"])["z"]
    given = (np.ones(2, np.float32), np.ones(2, np.float32))
    for error, rounding, explained in ((2**-8, F16, True), (2**-6, F16, False), (2**-8, None, False)):
        results = (np.float32([0, 0]),), (np.float32([0, error]),)
        assert Conditioning(module).explains(op, given, *results, rounding) is explained


BARRIER = """func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = stablehlo.optimization_barrier %x, %y : tensor<f32>, tensor<f32>
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}"""


@pytest.mark.parametrize("errors", [(2**-21, 0.0), (0.0, 2**-21), (2**-19, 0.0), (0.0, 2**-19)])
def test_each_result_is_to_be_explained(errors: tuple[float, float]) -> None:
    """Results are the operands, 1: four times 2^-23, the distance of its neighbour above, is explained."""
    module = shlo.parse(BARRIER)
    one = np.float32(1)
    theirs = tuple([np.float32(1 + error) for error in errors])
    op = module.functions["main"].blocks[0].ops[0]
    found = Conditioning(module).explains(op, (one, one), (one, one), theirs)
    assert found is (max(errors) <= 2**-21)


@pytest.mark.parametrize(
    ("errors", "explained"),
    [((2**-21, 2**-12), True), ((2**-12, 0.0), False), ((0.0, 2**-12), True), ((0.0, 2**-10), False)],
)
def test_each_result_is_explained_by_its_own_changes(errors: tuple[float, float], explained: bool) -> None:
    """Of 1 and 1000, neighbours above are 2^-23 and 2^-14 away."""
    module = shlo.parse(BARRIER)
    mine = np.float32(1), np.float32(1000)
    theirs = np.float32(1 + errors[0]), np.float32(1000 + errors[1])
    op = module.functions["main"].blocks[0].ops[0]
    assert Conditioning(module).explains(op, mine, mine, theirs) is explained


WIDE = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<[1.0, 2.001]> : tensor<2xf32>
  %k = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %s = stablehlo.add %x, %c : tensor<2xf32>
  return %s : tensor<2xf32>
}
"""
MIXED = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xbf16>
  %k = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %a = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xbf16>
  %b = stablehlo.convert %a : (tensor<2xbf16>) -> tensor<2xf32>
  %d = stablehlo.convert %b : (tensor<2xf32>) -> tensor<2xbf16>
  %s = stablehlo.add %d, %c : tensor<2xbf16>
  %n = stablehlo.convert %k : (tensor<2xi32>) -> tensor<2xf32>
  %r = stablehlo.convert %s : (tensor<2xbf16>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
"""


def test_programs_of_two_types() -> None:
    functions = [shlo.parse(text).functions["main"] for text in (WIDE, MIXED)]
    mine, theirs = map(ops, functions)
    both = Precision(*functions)
    assert both.differs and not Precision(functions[1], functions[1]).differs and not Precision().differs
    assert [name for name, op in theirs.items() if both.skips(op)] == ["a", "b", "d", "r"]
    assert not any(map(Precision(functions[0]).skips, theirs.values()))
    assert str(both.root(theirs["s"].operands[0])) == str(both.root(theirs["b"].results[0])) == "%x"
    assert [op.name for op in both.users(functions[1].regions[0].block.arguments[0])] == ["stablehlo.add"]
    # 2.001 is 2 in bf16, whose next number is 2.015625.
    assert both.is_rounded(theirs["c"], mine["c"]) and not both.is_rounded(mine["c"], theirs["c"])
    assert not both.is_rounded(theirs["k"], mine["k"])
    assert both.type(mine["c"].results[0].type) == both.type(theirs["c"].results[0].type)
    assert both.type(F32) == both.type(B16) != both.type(TensorType((2,), F32))
    assert both.type(TensorType((2,), F32)) != both.type(TensorType((3,), F32))
    assert both.rounding(mine["s"], theirs["s"]) == both.rounding(theirs["s"], mine["s"]) == B16
    assert both.rounding(mine["k"], theirs["k"]) is None
    assert Precision(*functions[:1]).rounding(mine["s"], theirs["s"]) is None


ROOT = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = stablehlo.sqrt %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
"""
POWER = """func.func @main(%x: tensor<3xbf16>) -> tensor<3xbf16> {
  %h = stablehlo.constant dense<0.5> : tensor<3xbf16>
  %r = stablehlo.power %x, %h : tensor<3xbf16>
  return %r : tensor<3xbf16>
}
"""


@pytest.mark.parametrize(
    ("tolerance", "ok"),
    [(None, True), (Tolerance(ulp=1), True), (Tolerance(ulp=0), False), (Tolerance(rtol=1e-5), False)],
    ids=str,
)
def test_results_of_other_types_by_other_ops(tolerance: Tolerance | None, ok: bool) -> None:
    """By default and by units, they have the tolerance of bf16: of 5, the root is 2.236 and 2.234."""
    given = [np.float32([2, 3, 5])]
    found = shlo.compare(shlo.parse(ROOT), shlo.parse(POWER), given, tolerance=tolerance)
    assert (found.ok, found.first, found.unmatched) == (ok, None, 1)
    assert [each.ok for each in found.results] == [ok]


def test_constants_within_the_range_of_the_narrowest_type() -> None:
    functions = [shlo.parse(WIDE.replace("f32", name)).functions["main"] for name in ("f32", "f16")]
    given = (np.float32([1e6, -1e6, 2, INF]), np.int32([10**6]))
    found = Precision(*functions).in_range(given)
    assert [each.tolist() for each in found] == [[65504, -65504, 2, 65504], [10**6]]
    assert found[0].dtype == np.float32
    assert Precision(functions[0]).in_range(given) is given


EXACT = """func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) {
  %k = stablehlo.convert %i : (tensor<2xi32>) -> tensor<2xf32>
  %r0 = stablehlo.abs %x : tensor<2xf32>
  %r1 = stablehlo.abs %x : tensor<2xf32>
  %r2 = stablehlo.abs %x : tensor<2xf32>
  %r3 = stablehlo.abs %k : tensor<2xf32>
  %r4 = stablehlo.abs %x : tensor<2xf32>
  return
}
"""
ROUNDING = """func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) {
  %h = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xbf16>
  %w = stablehlo.convert %h : (tensor<2xbf16>) -> tensor<2xf32>
  %n = stablehlo.convert %i : (tensor<2xi32>) -> tensor<2xbf16>
  %m = stablehlo.convert %n : (tensor<2xbf16>) -> tensor<2xf32>
  %r0 = stablehlo.abs %x : tensor<2xf32>
  %r1 = stablehlo.abs %h : tensor<2xbf16>
  %r2 = stablehlo.abs %w : tensor<2xf32>
  %r3 = stablehlo.abs %m : tensor<2xf32>
  %g = stablehlo.convert %w : (tensor<2xf32>) -> tensor<2xf16>
  %r4 = stablehlo.abs %g : tensor<2xf16>
  return
}
"""


@pytest.mark.parametrize(
    ("name", "forth", "back"),
    [
        ("r0", None, None),  # no conversion
        ("r1", B16, B16),  # the result is narrower
        ("r2", B16, B16),  # the operand has been
        ("r4", B16, B16),  # of f16 and of bf16, which has fewer bits
        ("r3", None, B16),  # it was made so: the exact program gets it as it is, the other one rounds
    ],
)
def test_which_of_two_ops_rounds(name: str, forth: FloatType | None, back: FloatType | None) -> None:
    functions = [shlo.parse(text).functions["main"] for text in (EXACT, ROUNDING)]
    both = Precision(*functions)
    mine, theirs = (ops(function)[name] for function in functions)
    assert (both.rounding(mine, theirs), both.rounding(theirs, mine)) == (forth, back)
