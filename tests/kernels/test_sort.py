"""Sort: the specification's example, comparators' orders, and stability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifted import Lifted

import stablehlo_py as shlo
from stablehlo_py.kernels import merge_sort
from stablehlo_py.kernels import sort as module
from stablehlo_py.kernels.registry import Array
from stablehlo_py.kernels.sort import sort


def ordered(comparator: Callable[..., Array], *inputs: Array, dimension: int = -1) -> list[Any]:
    results = sort(inputs, dimension=dimension, is_stable=True, comparator=Lifted(comparator))
    return [r.tolist() for r in results]


def test_specification_example() -> None:
    first, second = np.array([[1, 2, 3], [3, 2, 1]]), np.array([[3, 2, 1], [1, 2, 3]])
    results = ordered(lambda a, b, c, d: a > b, first, second, dimension=0)
    assert results == [[[3, 2, 3], [1, 2, 1]], [[1, 2, 1], [3, 2, 3]]]


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64", "bool"]
)
def test_both_directions(dtype: str) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 2**63, 300, np.uint64).view(np.int64)
    values = (numbers % 100 - 50).astype(dtype) if "float" in dtype else numbers.astype(dtype)
    plain = values.tolist()
    assert ordered(lambda a, b: a < b, values) == [sorted(plain)]
    assert ordered(lambda a, b: a > b, values) == [sorted(plain, reverse=True)]


@pytest.mark.parametrize("dimension", [-3, -2, -1])
def test_dimensions_from_the_last(dimension: int) -> None:
    values = np.random.default_rng(0).permutation(24).reshape(2, 3, 4)
    assert ordered(lambda a, b: a < b, values, dimension=dimension) == [np.sort(values, dimension).tolist()]


def test_floats_that_compare_as_numbers_keep_equal_zeros_in_place() -> None:
    values = np.array([0.0, -0.0, 1.0, -0.0, -1.0], np.float32)
    places = np.arange(5)
    _, order = ordered(lambda a, b, i, j: a < b, values, places)
    assert order == [4, 0, 1, 3, 2]


def test_total_order_tells_zeros_and_nans_apart() -> None:
    def total(x: Array) -> Array:
        bits = x.view(np.int32)
        return np.where(bits < 0, bits ^ 0x7FFFFFFF, bits)

    values = np.array([np.nan, 0.0, -0.0, np.inf, -np.nan, -np.inf, 1.0], np.float32)
    (result,) = sort(
        (values,), dimension=0, is_stable=True, comparator=Lifted(lambda a, b: total(a) < total(b))
    )
    assert np.signbit(result).tolist() == [True, True, True, False, False, False, False]
    assert str(result.tolist()) == "[nan, -inf, -0.0, 0.0, 1.0, inf, nan]"
    (result,) = sort(
        (values[[0, 2, 1, 3, 4, 5, 6]],),
        dimension=0,
        is_stable=True,
        comparator=Lifted(lambda a, b: total(a) > total(b)),
    )
    assert str(result.tolist()) == "[nan, inf, 1.0, 0.0, -0.0, -inf, nan]"


def test_several_keys_in_the_comparators_order() -> None:
    rng = np.random.default_rng(1)
    a, b, c = rng.integers(0, 5, (3, 4, 200))

    def later_first(al: Array, ar: Array, bl: Array, br: Array, cl: Array, cr: Array) -> Array:
        return (cl > cr) | ((cl == cr) & (al < ar))

    results = sort((a, b, c), dimension=1, is_stable=True, comparator=Lifted(later_first))
    for row in range(4):
        rows = list(zip(a[row].tolist(), b[row].tolist(), c[row].tolist(), strict=True))
        expected = sorted(rows, key=lambda r: (-r[2], r[0]))
        assert list(zip(*(r[row].tolist() for r in results), strict=True)) == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-50, 50), max_size=70), st.sampled_from([2, 7, 1000]))
def test_any_other_order_is_merged_stably(numbers: list[int], modulus: int) -> None:
    values, places = np.array(numbers, np.int64), np.arange(len(numbers))
    results = ordered(lambda a, b, i, j: a % modulus < b % modulus, values, places)
    expected = sorted(zip(numbers, range(len(numbers)), strict=True), key=lambda pair: pair[0] % modulus)
    assert list(zip(*results, strict=True)) == expected


def test_merging_gives_what_keys_give(monkeypatch: pytest.MonkeyPatch) -> None:
    values, places = np.random.default_rng(2).integers(0, 9, (3, 37)), np.arange(37) + np.zeros((3, 1), int)
    by_keys = ordered(lambda a, b, i, j: a < b, values, places)
    monkeypatch.setattr(module, "_sorted_by_keys", lambda *_: None)
    assert ordered(lambda a, b, i, j: a < b, values, places) == by_keys


def test_a_comparator_that_says_nothing_changes_nothing() -> None:
    assert ordered(lambda a, b: np.zeros(np.shape(a), bool), np.array([3, 1, 2])) == [[3, 1, 2]]
    assert ordered(lambda a, b: np.array(False), np.array([3, 1, 2])) == [[3, 1, 2]]


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0), (0, 3), (2, 1)])
def test_slices_of_none_or_one(shape: tuple[int, ...]) -> None:
    array = np.ones(shape)
    (result,) = sort((array,), dimension=-1, is_stable=False, comparator=Lifted(np.less))
    assert result.shape == shape
    assert result is not array


def test_complex_numbers_by_real_and_imaginary_part() -> None:
    values = np.array([1 + 2j, 1 + 1j, 0 + 5j, 1 + 1.5j], np.complex64)
    result = ordered(lambda a, b: (a.real < b.real) | ((a.real == b.real) & (a.imag < b.imag)), values)
    assert result == [[5j, 1 + 1j, 1 + 1.5j, 1 + 2j]]


def test_numbers_that_the_comparator_takes_for_equal_stay_in_place() -> None:
    values = np.array([12.0, 31.0, 11.0, 35.0, 19.0])
    assert ordered(lambda a, b: np.floor(a / 10) < np.floor(b / 10), values) == [[12, 11, 19, 31, 35]]


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ml_dtypes.int4, np.float32])
def test_one_input_of_numbers(dtype: type) -> None:
    values = np.array([3, -2, 7, 0, -2, 1]).astype(dtype)
    assert ordered(lambda a, b: a > b, values) == [[7, 3, 1, 0, -2, -2]]


def test_zeros_of_both_signs_stay_in_place() -> None:
    values = np.array([1.0, 0.0, -0.0, 0.0, -1.0])
    (result,) = sort((values,), dimension=0, is_stable=True, comparator=Lifted(np.less))
    assert np.signbit(result).tolist() == [True, False, True, False, False]


@pytest.mark.parametrize("size", [60, 3000])
def test_unstable_sorts_are_stable(size: int) -> None:
    """What is equal for the comparator stays in order, but for NaN, which is last."""
    rng = np.random.default_rng(0)
    values = rng.integers(-3, 3, size) + 1j * rng.integers(-3, 3, size)
    (result,) = sort((values,), dimension=0, is_stable=False, comparator=Lifted(lambda a, b: a.real < b.real))
    assert result.tolist() == sorted(values.tolist(), key=lambda z: z.real)
    numbers = np.where(values.real == 0, np.nan, values.real)
    (result,) = sort((numbers,), dimension=0, is_stable=False, comparator=Lifted(lambda a, b: a < b))
    np.testing.assert_array_equal(result, np.sort(numbers))


def last_if_nan(x: float) -> tuple[bool, float]:
    return bool(np.isnan(x)), 0.0 if np.isnan(x) else float(x)


@pytest.mark.parametrize("longest", [1, 1 << 19])
@pytest.mark.parametrize("size", [60, 3000])
def test_equal_numbers_stay_in_order_beside_nan(
    size: int, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the comparator takes parts of complex numbers, or both; NaN is last in each."""
    monkeypatch.setattr(module, "_LONGEST", longest)
    rng = np.random.default_rng(0)
    numbers = np.array([-1, 0, 2, np.inf, np.nan])
    values = rng.choice(numbers, size) + 1j * rng.permutation(size)
    (result,) = sort((values,), dimension=0, is_stable=True, comparator=Lifted(lambda a, b: a.real < b.real))
    order = sorted(range(size), key=lambda i: last_if_nan(values[i].real))
    assert str(result.tolist()) == str(values[order].tolist())
    pairs = np.empty(size, np.complex64)
    pairs.real, pairs.imag = rng.choice(numbers, (2, size))
    (result, places) = sort(
        (pairs, np.arange(size)),
        dimension=0,
        is_stable=True,
        comparator=Lifted(
            lambda a, b, i, j: (a.real < b.real) | ((a.real == b.real) & (a.imag < b.imag)),
        ),
    )
    order = sorted(range(size), key=lambda i: [*map(last_if_nan, (pairs[i].real, pairs[i].imag))])
    assert places.tolist() == order and str(result.tolist()) == str(pairs[order].tolist())


def test_numbers_of_equal_keys_stay_in_place_before_nan() -> None:
    values = np.array([1.5, 3.1, 1.2, 3.5, 1.9, np.nan])
    found = ordered(lambda a, b: np.floor(a) < np.floor(b), values)
    assert str(found) == "[[1.5, 1.2, 1.9, 3.1, 3.5, nan]]"


@pytest.mark.parametrize(
    ("order", "expected"),
    [("TOTALORDER", [-1.0, -0.0, -0.0, 0.0, 0.0, 1.0]), ("FLOAT", [-1.0, 0.0, -0.0, -0.0, 0.0, 1.0])],
)
@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_zeros_of_both_signs(order: str, expected: list[float], engine: str) -> None:
    """In total order, -0 is before 0; else they are equal, and a stable sort keeps their order."""
    if engine == "native":
        pytest.importorskip("llvmlite", reason="needs the extra native")
    text = f"""func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {{
      %0 = "stablehlo.sort"(%x) <{{dimension = 0 : i64, is_stable = true}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.compare LT, %a, %b, {order} : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }}) : (tensor<6xf32>) -> tensor<6xf32>
      return %0 : tensor<6xf32>
    }}"""
    (found,) = shlo.run(shlo.parse(text), [np.float32([0.0, 1.0, -0.0, -0.0, -1.0, 0.0])], engine=engine)
    assert found.view(np.uint32).tolist() == np.float32(expected).view(np.uint32).tolist()


def test_comparators_that_tell_zeros_apart() -> None:
    """By signs of zeros, of both keys; long rows are sorted by keys that the comparator is found to have."""

    def before(a: Array, b: Array, c: Array, d: Array) -> Array:
        first = (a < b) | ((a == b) & np.signbit(a) & ~np.signbit(b))
        same = (a == b) & (np.signbit(a) == np.signbit(b))
        return first | (same & (c < d))

    x = np.tile(np.float64([0.0, -0.0, 1.0]), 400)
    y = np.arange(1200)[::-1]
    values, numbers = sort((x, y), dimension=0, is_stable=True, comparator=Lifted(before))
    assert np.signbit(values).tolist() == [True] * 400 + [False] * 800
    assert numbers.tolist() == [*range(1, 1200, 3), *range(2, 1200, 3), *range(0, 1200, 3)]


@pytest.mark.parametrize("block", [1, 2, 4, 5, 64])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13])
def test_rows_are_merged_block_by_block(block: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order is stable; whatever a comparator returns, each element is there once."""
    monkeypatch.setattr(merge_sort, "_BLOCK", block)
    rows = np.random.default_rng(size).integers(0, 4, (3, size))
    places = np.broadcast_to(np.arange(size), rows.shape)
    keys, order = merge_sort.merge_sorted((rows, places), lambda x, y: x[0] < y[0])
    assert order.tolist() == np.argsort(rows, 1, kind="stable").tolist()
    assert keys.tolist() == np.sort(rows, 1).tolist()
    for mask in range(1, 8):
        _, order = merge_sort.merge_sorted(
            (rows, places), lambda x, y, mask=mask: (x[1] * 5 + y[1] * 3 + x[0]) & mask > mask // 2
        )
        assert np.sort(order, 1).tolist() == places.tolist()
