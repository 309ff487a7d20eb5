"""Comparison of results: errors, units in the last place, tolerances."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.debug.compare.errors import is_small, same_bits
from stablehlo_py.debug.compare_arrays import Tolerance, compare_arrays, worst_elements

ONE = np.float32(1)
EPS = float(np.finfo(np.float32).eps)


def test_equal() -> None:
    found = compare_arrays(np.float32([1, np.nan, np.inf, -0.0]), np.float32([1, np.nan, np.inf, 0.0]))
    assert found.ok and (found.wrong, found.max_abs, found.max_ulp) == (0, 0.0, 0)
    assert found.histogram == {"0": 4}


NAN, OTHER_NAN = np.uint32([0x7FC00000, 0x7FC00001]).view(np.float32)
HALF = np.array([1, 2], ml_dtypes.bfloat16)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (np.float32([1, 2]), np.float32([1, 2]), True),
        (np.float32([1, 2]), np.float32([1, 3]), False),
        (np.float32([0.0]), np.float32([-0.0]), False),
        (np.float32(NAN), np.float32(NAN), True),
        (np.float32([NAN]), np.float32([OTHER_NAN]), False),
        (np.float32([1, 2]), np.float32([[1, 2]]), False),
        (np.float32([1, 2]), np.float64([1, 2]), False),
        (np.int32([1]), np.uint32([1]), False),
        (HALF, HALF.copy(), True),
        (HALF, -HALF, False),
        (np.complex64([1 + 0j]), np.complex64([complex(1, -0.0)]), False),
        (np.complex64([2 + 1j]), np.complex64([2 + 1j]), True),
        (np.zeros((2, 2), np.float32).T, np.zeros((2, 2), np.float32), True),
        ((np.int32(1), (np.int32(2),)), (np.int32(1), (np.int32(2),)), True),
        ((np.int32(1), (np.int32(2),)), (np.int32(1), (np.int32(3),)), False),
        ((np.int32(1),), (np.int32(1), np.int32(1)), False),
        ((np.int32(1),), np.int32(1), False),
        (np.int32([1]), (np.int32(1),), False),
        (None, None, True),
        (None, np.int32(1), False),
        (np.int32(1), None, False),
        ((), None, False),
    ],
    ids=str,
)
def test_values_of_the_same_bits(a: Any, b: Any, same: bool) -> None:
    assert same_bits(a, b) is same


@pytest.mark.parametrize(
    ("a", "b", "small"),
    [
        (np.float32([1, 1000]), np.float32([1, 1000.0005]), True),  # to a millionth of the largest
        (np.float32([1, 1000]), np.float32([1.01, 1000]), False),
        (np.float64([1.0]), np.float64([1 + 1e-7]), True),
        (np.float64([1.0]), np.float64([1 + 1e-5]), False),
        (np.float32([np.nan]), np.float32([np.nan]), False),
        (np.float32([1]), np.float64([1]), False),
        (np.float32([1]), np.float32([[1]]), False),
        (np.float16([1]), np.float16([1]), False),
        (np.float32([]), np.float32([]), False),
    ],
)
def test_errors_that_need_no_closer_look(a: Any, b: Any, small: bool) -> None:
    assert is_small(a, b) is small


def test_errors_and_where() -> None:
    found = compare_arrays(np.float32([[1, 2], [3, 5]]), np.float32([[1, 2], [3, 4]]))
    assert not found.ok
    assert (found.wrong, found.size, found.index) == (1, 4, (1, 1))
    assert (found.actual, found.expected) == ("5.0", "4.0")
    assert (found.max_abs, found.max_rel) == (1.0, 0.25)
    # from 4 to 5 in steps of 4 * eps
    assert found.max_ulp == round(1 / (4 * EPS))


@pytest.mark.parametrize(
    ("dtype", "above"),
    [
        (np.float16, 1 + 2**-10),
        (np.float32, 1 + 2**-23),
        (np.float64, 1 + 2**-52),
        (ml_dtypes.bfloat16, 1 + 2**-7),
        (ml_dtypes.float8_e4m3fn, 1 + 2**-3),
        (ml_dtypes.float8_e5m2, 1 + 2**-2),
        (ml_dtypes.float8_e4m3fnuz, 1 + 2**-3),
        (ml_dtypes.float8_e8m0fnu, 2.0),
        (ml_dtypes.float4_e2m1fn, 1.5),
        (ml_dtypes.float6_e2m3fn, 1 + 2**-3),
    ],
)
def test_neighbours_are_one_unit_apart(dtype: Any, above: float) -> None:
    assert compare_arrays(np.array([above]).astype(dtype), np.array([1.0]).astype(dtype)).max_ulp == 1
    if dtype is not ml_dtypes.float8_e8m0fnu:
        below, one = np.array([-above]).astype(dtype), np.array([-1.0]).astype(dtype)
        assert compare_arrays(below, one).max_ulp == 1


def test_units_across_zero() -> None:
    least = np.float32(1e-45)  # the smallest subnormal number
    assert compare_arrays(np.float32([least]), np.float32([-least])).max_ulp == 2


def test_complex_numbers_by_their_worse_part() -> None:
    found = compare_arrays(np.complex64([1 + 1j * (1 + 3 * EPS)]), np.complex64([1 + 1j]))
    assert found.max_ulp == 3


@pytest.mark.parametrize(
    ("tolerance", "ok"),
    [
        (Tolerance(), True),
        (Tolerance(rtol=1e-7), False),
        (Tolerance(rtol=1e-7, ulp=4), True),
        (Tolerance(atol=1e-6), True),
        (Tolerance(ulp=3), False),
        (Tolerance(ulp=4), True),
    ],
    ids=str,
)
def test_tolerances(tolerance: Tolerance, ok: bool) -> None:
    assert compare_arrays(np.float32([1 + 4 * EPS]), np.float32([1]), tolerance).ok is ok


def test_small_elements_beside_large_ones() -> None:
    assert compare_arrays(np.float32([1, 2e-7]), np.float32([1, 1e-7])).ok
    assert not compare_arrays(np.float32([2e-7]), np.float32([1e-7])).ok


def test_narrow_types_may_differ_by_units() -> None:
    bf16 = ml_dtypes.bfloat16
    assert compare_arrays(np.array([1 + 2**-7], bf16), np.array([1], bf16)).ok
    assert not compare_arrays(np.array([1.5], bf16), np.array([1], bf16)).ok


@pytest.mark.parametrize(("error", "ok"), [(2e-6, True), (8e-6, True), (2e-5, False), (1e-3, False)])
def test_the_tolerance_where_none_is_given(error: float, ok: bool) -> None:
    """1e-5 of each element, and 1e-6 of the largest one."""
    assert compare_arrays(np.array([1 + error]), np.array([1.0])).ok is ok
    assert compare_arrays(np.array([100.0, error / 10 * 100]), np.array([100.0, 0.0])).ok is ok


def test_integers_are_to_be_equal() -> None:
    large = 2**62
    assert compare_arrays(np.int64([large]), np.int64([large])).ok
    found = compare_arrays(np.int64([large + 1]), np.int64([large]))
    assert not found.ok and (found.max_abs, found.max_ulp) == (1.0, 1)
    assert compare_arrays(np.int64([5]), np.int64([4]), Tolerance(atol=1)).ok
    assert compare_arrays(np.int8([-128]), np.int8([127])).max_abs == 255
    assert not compare_arrays(np.array([True]), np.array([False])).ok
    floor = Tolerance(floor=2.0)  # for floats
    assert not compare_arrays(np.int32([5]), np.int32([4]), floor).ok
    assert not compare_arrays(np.array([True]), np.array([False]), floor).ok
    assert compare_arrays(np.float32([5]), np.float32([4]), floor).ok


def test_what_is_not_finite_on_one_side() -> None:
    found = compare_arrays(np.float32([1, np.nan, 3]), np.float32([1, 2, np.inf]), Tolerance(atol=1e9))
    assert (found.wrong, found.index, found.actual) == (2, (1,), "nan")
    assert found.histogram == {"0": 1, "not finite": 2}


def test_histogram() -> None:
    steps = [0, 0, 1, 2, 3, 4, 7, 100]
    actual = np.float32([1 + n * EPS for n in steps])
    histogram = compare_arrays(actual, np.ones(8, np.float32)).histogram
    assert histogram is not None
    assert {label: n for label, n in histogram.items() if n} == {
        "0": 2, "1": 1, "2": 1, "3-4": 2, "5-8": 1, "65-128": 1,
    }  # fmt: skip


def test_what_cannot_be_compared() -> None:
    assert "[2]" in compare_arrays(np.zeros(2), np.zeros(3)).problem
    assert "float32" in compare_arrays(np.zeros(2, np.int32), np.zeros(2, np.float32)).problem
    assert compare_arrays(np.zeros(0), np.zeros(0)).ok


def test_raw_bytes_are_elements_of_the_result() -> None:
    array = np.array([1, 2], ml_dtypes.bfloat16)
    assert compare_arrays(array, array.view("V2")).ok


@pytest.mark.parametrize(
    ("given", "epsilon", "expected"),
    [
        (Tolerance(), 2**-7, Tolerance(rtol=4 * 2**-7)),  # four units in the last place
        (Tolerance(floor=0.5), 2**-7, Tolerance(rtol=4 * 2**-7, floor=0.5)),
        (Tolerance(ulp=3), 2**-7, Tolerance(rtol=3 * 2**-7)),
        (Tolerance(ulp=0), 2**-7, Tolerance(rtol=0.0)),
        (Tolerance(rtol=0.1), 2**-7, Tolerance(rtol=0.1)),  # what is stated stays
        (Tolerance(atol=0.0, ulp=3), 2**-7, Tolerance(atol=0.0, ulp=3)),
    ],
)
def test_the_tolerance_of_rounded_values(given: Tolerance, epsilon: float, expected: Tolerance) -> None:
    assert given.rounded(epsilon) == expected


@pytest.mark.parametrize(
    ("actual", "expected", "problem"),
    [
        (np.zeros((2, 3)), np.zeros(6), "expected shape [6], got [2, 3]"),
        (np.zeros(2, np.int32), np.zeros(2), "expected elements of type float64, got int32"),
        (np.zeros(2, np.float32), np.zeros(2), ""),  # of the same kind
        (np.zeros(2), np.zeros(2, np.int32), ""),
        (np.zeros(2, np.int32), np.zeros(2, np.uint32), ""),
        (np.zeros(2, np.uint32), np.zeros(2, np.int32), "expected elements of type int32, got uint32"),
        (np.zeros(2, np.float32), np.zeros(2, "V4"), ""),
        (np.zeros(2, np.float32), np.zeros(2, "V2"), "expected elements of type |V2, got float32"),
    ],
)
def test_arrays_that_cannot_be_compared(actual: object, expected: object, problem: str) -> None:
    found = compare_arrays(actual, expected)
    assert found.problem == problem and found.ok is (problem == "")
    assert (found.size, found.max_abs, found.histogram is None) == (
        (0, 0.0, True) if problem else (2, 0.0, False)
    )


def test_elements_that_are_lost_are_the_worst() -> None:
    """Finite in one array alone, in their order; then the largest relative errors. Equal ones are none."""
    nan, inf = np.nan, np.inf
    actual = np.float32([[1, 50, nan, inf], [nan, 3, 2, -inf]])
    expected = np.float32([[1, 40, 2, inf], [nan, nan, 1, inf]])
    found = worst_elements(actual, expected, 8)
    assert [place for place, *_ in found] == [(0, 2), (1, 1), (1, 3), (1, 2), (0, 1)]
    assert found[0] == ((0, 2), "nan", "2.0") and found[3] == ((1, 2), "2.0", "1.0")
    assert worst_elements(actual, expected, 2) == found[:2]
    compared = compare_arrays(actual, expected)
    assert (compared.index, compared.actual, compared.expected) == ((0, 2), "nan", "2.0")
    assert (compared.wrong, compared.max_rel) == (5, 1.0)
    assert compared.histogram is not None and compared.histogram["not finite"] == 3
