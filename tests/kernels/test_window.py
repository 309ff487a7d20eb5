"""Windows: the specification's examples, and a naive evaluation window by window."""

from __future__ import annotations

import itertools
import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifted import ADD, ADD_LIFTED, MAXIMUM, Lifted, type_of

import stablehlo_py as shlo
from stablehlo_py.kernels.registry import Array
from stablehlo_py.kernels.window import _running_products, reduce_window, select_and_scatter


def windows_of(array: Array, init: float, body: Lifted, **attributes: Any) -> Array:
    rank = array.ndim
    plain = {
        "window_dimensions": (1,) * rank,
        "window_strides": (1,) * rank,
        "base_dilations": (1,) * rank,
        "window_dilations": (1,) * rank,
        "padding": np.zeros((rank, 2), np.int64),
    }
    inits = (np.array(init, array.dtype),)
    (result,) = reduce_window((array,), inits, **(plain | attributes), body=body, results=(type_of(array),))
    return np.asarray(result)


@pytest.mark.parametrize("body", [ADD, ADD_LIFTED])
def test_specification_example(body: Lifted) -> None:
    result = windows_of(
        np.array([[1, 2], [3, 4], [5, 6]]),
        0,
        body,
        window_dimensions=(2, 1),
        window_strides=(4, 1),
        base_dilations=(2, 1),
        window_dilations=(3, 1),
        padding=np.array([[2, 1], [0, 0]]),
    )
    assert result.tolist() == [[0, 0], [3, 4]]


def naive(array: Array, init: float, function: Any, a: dict[str, Any]) -> Array:
    """The definition: pad with the initial value, slice out each window, combine in order."""
    shape = []
    for d, size in enumerate(array.shape):
        low, high = a["padding"][d]
        shape.append(int(low + high + ((size - 1) * a["base_dilations"][d] + 1 if size else 0)))
    padded = np.full(shape, init)
    inner = tuple(slice(int(p[0]), None, b) for p, b in zip(a["padding"], a["base_dilations"], strict=True))
    padded[
        tuple(
            slice(i.start, i.start + (n - 1) * i.step + 1 if n else i.start, i.step)
            for i, n in zip(inner, array.shape, strict=True)
        )
    ] = array
    spans = [(w - 1) * d + 1 for w, d in zip(a["window_dimensions"], a["window_dilations"], strict=True)]
    counts = [
        max(0, (n - span) // s + 1) for n, span, s in zip(shape, spans, a["window_strides"], strict=True)
    ]
    result = np.full(counts, init)
    for index in np.ndindex(*counts):
        starts = [i * s for i, s in zip(index, a["window_strides"], strict=True)]
        window = padded[
            tuple(
                slice(x, x + span, d) for x, span, d in zip(starts, spans, a["window_dilations"], strict=True)
            )
        ]
        for element in window.ravel().tolist():
            result[index] = function(result[index], element)
    return result


@st.composite
def cases(draw: st.DrawFn) -> tuple[Array, dict[str, Any]]:
    rank = draw(st.integers(0, 3))

    def each(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(rank))

    array = np.random.default_rng(draw(st.integers(0, 2**32))).integers(-99, 99, each(0, 9))
    padding = np.array([(draw(st.integers(0, 4)), draw(st.integers(0, 4))) for _ in range(rank)]).reshape(
        -1, 2
    )
    return array, {
        "window_dimensions": each(1, 7),
        "window_strides": each(1, 3),
        "base_dilations": each(1, 3),
        "window_dilations": each(1, 2),
        "padding": padding,
    }


@settings(max_examples=100, deadline=None)
@given(cases(), st.sampled_from([(ADD, 0), (ADD, 3), (ADD_LIFTED, 1), (MAXIMUM, -100)]))
def test_agrees_with_the_definition(case: tuple[Array, dict[str, Any]], way: tuple[Lifted, int]) -> None:
    array, a = case
    body, init = way
    assert np.array_equal(windows_of(array, init, body, **a), naive(array, init, body.function, a))


@pytest.mark.parametrize("dilation", [1, 2, 3])
@pytest.mark.parametrize("body", [ADD, ADD_LIFTED])
def test_long_windows_of_distant_elements(body: Lifted, dilation: int) -> None:
    """Of all sizes, at each element of an array that is long enough for them to be doubled."""
    array = np.random.default_rng(2).integers(-99, 99, 90)
    for size in range(2, 18):
        a = {
            "window_dimensions": (size,),
            "window_strides": (1,),
            "base_dilations": (1,),
            "window_dilations": (dilation,),
            "padding": np.array([(0, (size - 1) * dilation)]),
        }
        expected = [sum(array[at : at + size * dilation : dilation].tolist()) for at in range(90)]
        assert windows_of(array, 0, body, **a).tolist() == expected, size


@pytest.mark.parametrize("base", [1, 2, 3])
@pytest.mark.parametrize("body", [ADD, ADD_LIFTED])
def test_padding_that_cuts_elements_off(body: Lifted, base: int) -> None:
    """Also a part of the holes between elements."""
    for size, low, high in itertools.product(range(5), range(-5, 3), range(-5, 3)):
        apart = [element for at in range(size) for element in [*[0] * (base - 1) * (at > 0), at + 1]]
        places = range(-low, len(apart) + high)
        padded = [apart[at] if at in range(len(apart)) else 0 for at in places]
        a = {"window_dimensions": (2,), "base_dilations": (base,), "padding": np.array([(low, high)])}
        expected = [x + y for x, y in itertools.pairwise(padded)]
        assert windows_of(np.arange(1, size + 1), 0, body, **a).tolist() == expected, (size, low, high)


@settings(max_examples=50, deadline=None)
@given(cases(), st.sampled_from([ADD, ADD_LIFTED]))
def test_small_windows_are_rounded_as_in_a_loop(case: tuple[Array, dict[str, Any]], body: Lifted) -> None:
    array, a = case
    found, expected = windows_of(array / 7, 0.1, body, **a), naive(array / 7, 0.1, np.add, a)
    if math.prod(a["window_dimensions"]) <= 64:
        assert np.array_equal(found, expected)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_running_log_sums_of_small_floats_are_rounded_as_in_a_loop() -> None:
    def log_add(a: Array, b: Array) -> Array:
        return np.logaddexp(a, b, dtype=np.float16)

    columns = np.random.default_rng(0).normal(0, 3, (8, 9)).astype(np.float16)
    expected = columns.copy()
    for i in range(1, 8):
        expected[i] = log_add(expected[i - 1], columns[i])
    given = {"window_dimensions": (8, 1), "padding": np.array([(7, 0), (0, 0)])}
    assert np.array_equal(windows_of(columns, -np.inf, Lifted(log_add), **given), expected)


@pytest.mark.parametrize("size", range(1, 20))
def test_order_of_elements_is_kept(size: int) -> None:
    """Windows that keep their first element, or their last, whether taken tap by tap or doubled."""
    array = np.arange(40)
    shape: dict[str, Any] = {"window_dimensions": (size,)}

    def first(a: Array, b: Array) -> Array:
        return np.where(a < 0, b, a)

    def last(a: Array, b: Array) -> Array:
        return np.where(b < 0, a, b)

    assert windows_of(array, -1, Lifted(first), **shape).tolist() == list(range(41 - size))
    assert windows_of(array, -1, Lifted(last), **shape).tolist() == list(range(size - 1, 40))


@pytest.mark.parametrize(("padding", "sums"), [((3, 0), [1, 3, 6, 10]), ((0, 3), [10, 9, 7, 4])])
@pytest.mark.parametrize("body", [ADD, ADD_LIFTED])
def test_cumulative(body: Lifted, padding: tuple[int, int], sums: list[int]) -> None:
    array = np.array([[1, 2, 3, 4]])
    given = {"window_dimensions": (1, 4), "padding": np.array([(0, 0), padding])}
    assert windows_of(array, 0, body, **given).tolist() == [sums]


def test_several_inputs() -> None:
    def larger(a: Array, i: Array, b: Array, j: Array) -> tuple[Array, Array]:
        return np.where(b > a, b, a), np.where(b > a, j, i)

    values, places = np.array([3, 1, 4, 1, 5]), np.arange(5)
    results = reduce_window(
        (values, places),
        (np.array(-1), np.array(-1)),
        window_dimensions=(3,),
        window_strides=(1,),
        base_dilations=(1,),
        window_dilations=(1,),
        padding=np.zeros((1, 2), np.int64),
        body=Lifted(larger),
        results=(type_of(values), type_of(places)),
    )
    assert [r.tolist() for r in results] == [[4, 4, 5], [2, 2, 4]]


def test_sums_and_maxima_of_padded_windows_at_once() -> None:
    """Combining initial values changes those of the sums alone, which are added once to each window."""
    values, others = np.arange(12).reshape(3, 4), np.arange(12)[::-1].reshape(3, 4)
    a = {
        "window_dimensions": (2, 3),
        "window_strides": (1, 1),
        "base_dilations": (1, 2),
        "window_dilations": (1, 1),
        "padding": np.array([(1, 0), (0, 2)]),
    }
    found = reduce_window(
        (values, others),
        (np.array(1), np.array(-100)),
        **a,
        body=Lifted(lambda x, y, z, w: (x + z, np.maximum(y, w))),
        results=(type_of(values), type_of(others)),
    )
    assert np.array_equal(found[0], naive(values, 1, np.add, a))
    assert np.array_equal(found[1], naive(others, -100, np.maximum, a))


def test_narrow_floats_round_at_each_step() -> None:
    ones = np.array([256, 1, 1], ml_dtypes.bfloat16)  # 256 + 1 rounds to 256
    assert windows_of(ones, 0, ADD, window_dimensions=(3,)).tolist() == [256]


def chosen(
    operand: Array, source: Array, init: float, scatter: Lifted, select: Any = np.greater_equal, **a: Any
) -> Array:
    return np.asarray(
        select_and_scatter(
            operand,
            source,
            np.array(init, source.dtype),
            select=Lifted(select),
            scatter=scatter,
            result=type_of(operand),
            **a,
        )
    )


@pytest.mark.parametrize("scatter", [ADD, ADD_LIFTED])
def test_select_and_scatter_specification_example(scatter: Lifted) -> None:
    result = chosen(
        np.array([[1, 5], [2, 5], [3, 6], [4, 4]]),
        np.array([[5, 6], [7, 8]]),
        0,
        scatter,
        window_dimensions=(3, 1),
        window_strides=(2, 1),
        padding=np.array([[0, 1], [0, 0]]),
    )
    assert result.tolist() == [[0, 0], [0, 0], [5, 14], [7, 0]]


def test_select_and_scatter_ignores_padding_and_adds_to_the_initial_value() -> None:
    given: dict[str, Any] = {"window_dimensions": (2,), "window_strides": (2,), "padding": np.array([[1, 1]])}
    result = chosen(np.array([-5, -7, -6, -8]), np.array([1, 2, 3]), 10, ADD, **given)
    assert result.tolist() == [11, 10, 12, 13]


def test_select_and_scatter_without_elements_in_a_window() -> None:
    given: dict[str, Any] = {"window_dimensions": (1,), "window_strides": (1,), "padding": np.array([[1, 1]])}
    assert chosen(np.array([5]), np.array([1, 2, 4]), 0, ADD, **given).tolist() == [2]


def test_select_and_scatter_takes_sources_in_order() -> None:
    def digits(total: Array, digit: Array) -> Array:
        return total * 10 + digit

    given: dict[str, Any] = {"window_dimensions": (3,), "window_strides": (1,), "padding": np.array([[0, 0]])}
    assert chosen(np.array([0, 0, 9, 0, 0]), np.array([1, 2, 3]), 0, Lifted(digits), **given).tolist() == [
        0,
        0,
        123,
        0,
        0,
    ]


def test_running_products_of_complex_numbers() -> None:
    """Powers of 1 + i, forwards and backwards, of a vector and of the columns of a matrix."""
    x = np.full(4, 1 + 1j, np.complex64)
    powers = [1 + 1j, 2j, -2 + 2j, -4]
    assert _running_products(x, 0, x.dtype).tolist() == powers
    assert _running_products(np.stack([x, x], 1), 0, x.dtype)[:, 1].tolist() == powers
    assert _running_products(x[:0], 0, x.dtype).tolist() == []


def test_a_body_that_returns_a_captured_value() -> None:
    """Each window without padding combines two elements once, and the result is the captured one."""
    module = shlo.parse("""
        func.func @main(%x: tensor<3x2xi32>) -> tensor<2x2xi32> {
          %seven = stablehlo.constant dense<7> : tensor<i32>
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 1>}> ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            stablehlo.return %seven : tensor<i32>
          }) : (tensor<3x2xi32>, tensor<i32>) -> tensor<2x2xi32>
          return %0 : tensor<2x2xi32>
        }""")
    (found,) = shlo.run(module, [np.zeros((3, 2), np.int32)], engine="numpy")
    assert found.tolist() == [[7, 7], [7, 7]]
