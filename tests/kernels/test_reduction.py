# ruff: noqa: E501  (programs have long lines)
"""Reductions, map and batch normalization: the specification's examples and hand calculations."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lifted import ADD, ADD_LIFTED, MAXIMUM, Lifted, type_of

import stablehlo_py as shlo
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.kernels.reduction import (
    batch_norm_grad,
    batch_norm_inference,
    batch_norm_training,
    map,
    reduce,
)
from stablehlo_py.kernels.registry import Array
from stablehlo_py.syntax.parser import parse_type

MULTIPLY = Lifted(np.multiply, np.multiply)


def reduced(array: Array, init: float, dimensions: tuple[int, ...], body: Lifted) -> Array:
    (result,) = reduce(
        (array,), (np.array(init, array.dtype),), dimensions=dimensions, body=body, results=(type_of(array),)
    )
    assert result.dtype == array.dtype
    return np.asarray(result)


@pytest.mark.parametrize("body", [ADD, ADD_LIFTED])
def test_specification_example(body: Lifted) -> None:
    assert reduced(np.array([[0, 1, 2, 3, 4, 5]]), 0, (1,), body).tolist() == [15]


@pytest.mark.parametrize("body", [ADD, ADD_LIFTED])
@pytest.mark.parametrize(
    ("dimensions", "sums"),
    [
        ((), [[[11, 12], [13, 14]], [[15, 16], [17, 18]]]),
        ((0,), [[16, 18], [20, 22]]),
        ((2, 0), [24, 32]),
        ((0, 1, 2), 46),
    ],
)
def test_dimensions_and_initial_value(body: Lifted, dimensions: tuple[int, ...], sums: object) -> None:
    assert reduced(np.arange(1, 9).reshape(2, 2, 2), 10, dimensions, body).tolist() == sums


@pytest.mark.parametrize("imaginary", [-0.0, 0.0])
@pytest.mark.parametrize("real", [-0.0, 0.0])
@pytest.mark.parametrize("size", [8, 3000])
def test_complex_sums_of_negative_zeros(size: int, real: float, imaginary: float) -> None:
    """Of each part, -0 and -0 is -0, and 0 and -0 is 0."""
    values = np.full((2, size), complex(-0.0, -0.0), np.complex64)
    init = np.array(complex(real, imaginary), np.complex64)
    for dimensions in ((1,), (0,), (0, 1)):
        (found,) = reduce((values,), (init,), dimensions=dimensions, body=ADD, results=(type_of(values),))
        assert not found.any()
        assert (np.signbit(found.real) == np.signbit(real)).all()
        assert (np.signbit(found.imag) == np.signbit(imaginary)).all()


@pytest.mark.parametrize("body", [ADD, ADD_LIFTED, MAXIMUM])
def test_of_nothing_it_is_the_initial_value(body: Lifted) -> None:
    assert reduced(np.zeros((0, 2), np.float32), 7, (0,), body).tolist() == [7, 7]
    assert reduced(np.zeros((0, 2), np.float32), 7, (1,), body).shape == (0,)


def test_integers_wrap_and_booleans_stay() -> None:
    assert reduced(np.array([100, 100], np.int8), 0, (0,), ADD).item() == -56
    assert reduced(np.array([100, 100], np.int8), 0, (0,), ADD_LIFTED).item() == -56
    assert reduced(np.array([True, True]), False, (0,), Lifted(np.logical_or, np.logical_or)).item() is True


def test_narrow_floats_round_once() -> None:
    assert reduced(np.ones(1001, ml_dtypes.bfloat16), 0, (0,), ADD).item() == 1000  # 1001, rounded to 4s


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
@pytest.mark.parametrize(
    ("body", "shape"),
    [(ADD, (72,)), (ADD, (8, 9)), (ADD, (2, 500)), (MULTIPLY, (3, 4, 5)), (ADD_LIFTED, (3, 2, 5))],
)
def test_small_arrays_are_rounded_as_in_a_loop(body: Lifted, shape: tuple[int, ...], dtype: Any) -> None:
    array = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    for dimensions in ((0,), (len(shape) - 1,), tuple(range(len(shape)))):
        rest = [d for d in range(len(shape)) if d not in dimensions]
        total = np.full([shape[d] for d in rest], 3, dtype)
        for row in array.transpose(*dimensions, *rest).reshape(-1, *total.shape):
            total = body.function(total, row)
        assert np.array_equal(reduced(array, 3, dimensions, body), total)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 100])
def test_order_of_elements_is_kept(size: int) -> None:
    """The composition of affine maps x -> a x + b: associative, and not commutative."""

    def compose(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
        return a * c % 97, (b * c + d) % 97

    rng = np.random.default_rng(size)
    slopes, offsets = rng.integers(1, 97, (2, size, 2))
    inits = (np.array(1), np.array(0))
    results = reduce(
        (slopes, offsets),
        inits,
        dimensions=(0,),
        body=Lifted(compose),
        results=(type_of(slopes), type_of(offsets)),
    )
    for column in range(2):
        a, b = 1, 0
        for slope, offset in zip(slopes[:, column].tolist(), offsets[:, column].tolist(), strict=True):
            a, b = a * slope % 97, (b * slope + offset) % 97
        assert [r[column] for r in results] == [a, b]


@pytest.mark.parametrize("dimensions", [(0, 2), (2, 0)])
def test_elements_of_several_dimensions_are_in_the_order_of_the_array(dimensions: tuple[int, ...]) -> None:
    """Whatever the order in which the op lists its dimensions; maps x -> a x + b, composed."""

    def compose(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
        return a * c % 97, (b * c + d) % 97

    slopes, offsets = np.random.default_rng(5).integers(1, 97, (2, 3, 2, 4))
    results = reduce(
        (slopes, offsets),
        (np.array(1), np.array(0)),
        dimensions=dimensions,
        body=Lifted(compose),
        results=(type_of(slopes), type_of(offsets)),
    )
    for column in range(2):
        a, b = 1, 0
        for i, j in np.ndindex(3, 4):
            slope, offset = int(slopes[i, column, j]), int(offsets[i, column, j])
            a, b = a * slope % 97, (b * slope + offset) % 97
        assert [r[column] for r in results] == [a, b]


def test_several_inputs() -> None:
    def later_maximum(a: Array, i: Array, b: Array, j: Array) -> tuple[Array, Array]:
        first = a > b
        return np.where(first, a, b), np.where(first, i, j)

    values, places = np.array([[3, 9, 9, 1], [5, 4, 3, 2]]), np.broadcast_to(np.arange(4), (2, 4))
    largest, place = reduce(
        (values, places),
        (np.array(-1), np.array(-1)),
        dimensions=(1,),
        body=Lifted(later_maximum),
        results=(type_of(values), type_of(places)),
    )
    assert (largest.tolist(), place.tolist()) == ([9, 5], [2, 0])


def test_body_that_ignores_its_arguments() -> None:
    assert reduced(np.ones((3, 2)), 0, (0,), Lifted(lambda a, b: np.array(4.0))).tolist() == [4, 4]
    array = np.ones((1, 2))
    result = reduced(array, 0, (0,), Lifted(lambda a, b: b))
    result[...] = 5
    assert array.tolist() == [[1, 1]]


def test_map_specification_example() -> None:
    inputs = (np.array([[0, 1], [2, 3]]), np.array([[4, 5], [6, 7]]))
    assert map(inputs, computation=Lifted(np.multiply)).tolist() == [[0, 5], [12, 21]]
    assert map(inputs, computation=Lifted(lambda a, b: np.array(1))).tolist() == [[1, 1], [1, 1]]


OPERAND = np.array([[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]])
ONES, MEAN = np.array([1.0, 1.0]), np.array([2.0, 3.0])
NORMALISED = [[[0.0, 0.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]]


def test_batch_norm_inference_specification_example() -> None:
    result = batch_norm_inference(OPERAND, ONES, ONES, MEAN, ONES, epsilon=0.0, feature_index=2)
    assert result.tolist() == NORMALISED


def test_batch_norm_training_specification_example() -> None:
    output, mean, variance = batch_norm_training(OPERAND, ONES, ONES, epsilon=0.0, feature_index=2)
    assert (output.tolist(), mean.tolist(), variance.tolist()) == (NORMALISED, [2, 3], [1, 1])


def test_batch_norm_grad_specification_example() -> None:
    grads = np.full((2, 2, 2), 0.1)
    operand, scale, offset = batch_norm_grad(OPERAND, ONES, MEAN, ONES, grads, epsilon=0.0, feature_index=2)
    np.testing.assert_allclose(operand, np.zeros((2, 2, 2)), atol=1e-15)
    np.testing.assert_allclose(scale, [0, 0], atol=1e-15)
    np.testing.assert_allclose(offset, [0.4, 0.4])


def test_batch_norm_grad_is_the_derivative() -> None:
    rng = np.random.default_rng(0)
    operand, grads = rng.normal(size=(2, 5, 3, 4))
    scale, offset = rng.normal(size=(2, 3))
    output, mean, variance = batch_norm_training(operand, scale, offset, epsilon=0.1, feature_index=1)
    grad, *_ = batch_norm_grad(operand, scale, mean, variance, grads, epsilon=0.1, feature_index=1)
    step = np.zeros_like(operand)
    step[1, 2, 3] = 1e-6
    moved, *_ = batch_norm_training(operand + step, scale, offset, epsilon=0.1, feature_index=1)
    np.testing.assert_allclose(grad[1, 2, 3], ((moved - output) * grads).sum() / 1e-6, rtol=1e-4)


def test_batch_norm_of_narrow_floats_keeps_their_type() -> None:
    x = OPERAND.astype(np.float16)
    ones = ONES.astype(np.float16)
    results = batch_norm_training(x, ones, ones, epsilon=0.0, feature_index=2)
    assert [r.dtype for r in results] == [np.dtype(np.float16)] * 3


@pytest.mark.parametrize("shape", [(5000, 3), (2, 777, 4, 25), (3000, 1), (7, 2000)])
def test_leading_dimensions_of_short_rows(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(6).integers(-(1 << 30), 1 << 30, shape).astype(np.int32)
    axes = (0, 1) if len(shape) == 4 else (0,)
    np.testing.assert_array_equal(reduced(x, -(1 << 31), axes, MAXIMUM), x.max(axes))
    np.testing.assert_array_equal(reduced(x, 1, axes, ADD), x.sum(axes, dtype=np.int32) + np.int32(1))


ARG = """func.func @main(%x: tensor<{shape}x{type}>, %low: tensor<{type}>) -> (tensor<{rest}x{type}>, tensor<{rest}xi32>) {{
  %0 = stablehlo.iota dim = {axis} : tensor<{shape}xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.reduce(%x init: %low), (%0 init: %c) across dimensions = [{axis}] : (tensor<{shape}x{type}>, tensor<{shape}xi32>, tensor<{type}>, tensor<i32>) -> (tensor<{rest}x{type}>, tensor<{rest}xi32>)
   reducer(%a: tensor<{type}>, %b: tensor<{type}>) (%i: tensor<i32>, %j: tensor<i32>) {{
    %2 = stablehlo.compare {order}, %a, %b : (tensor<{type}>, tensor<{type}>) -> tensor<i1>
    %3 = stablehlo.compare NE, %a, %a : (tensor<{type}>, tensor<{type}>) -> tensor<i1>
    %4 = stablehlo.or %2, %3 : tensor<i1>
    %5 = stablehlo.compare EQ, %a, %b : (tensor<{type}>, tensor<{type}>) -> tensor<i1>
    %6 = stablehlo.compare {ties}, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %4, %7 : tensor<i1>
    %9 = stablehlo.select %4, %a, %b : tensor<i1>, tensor<{type}>
    %10 = stablehlo.select %8, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %9, %10 : tensor<{type}>, tensor<i32>
  }}
  return %1#0, %1#1 : tensor<{rest}x{type}>, tensor<{rest}xi32>
}}"""


@pytest.mark.parametrize(("type", "dtype"), [("f32", np.float32), ("i32", np.int32)])
@pytest.mark.parametrize("order", ["GT", "LT"])
@pytest.mark.parametrize("ties", ["LT", "GT"])
def test_positions_of_the_largest_and_the_smallest(type: str, dtype: Any, order: str, ties: str) -> None:
    """Of equal values the first, or, where the body says so, the last; a NaN comes before all numbers."""
    x = np.random.default_rng(5).integers(-50, 50, (40, 300)).astype(dtype)
    if type == "f32":
        x[3, [5, 90]] = np.nan
    find = np.argmax if order == "GT" else np.argmin
    low = np.array({"GT": -1, "LT": 1}[order] * 1000, dtype)
    for axis in (0, 1):
        rest = x.shape[1 - axis]
        text = ARG.format(shape="40x300", rest=rest, type=type, axis=axis, order=order, ties=ties)
        values, places = shlo.run(shlo.parse(text), [x, low])
        if ties == "LT":
            expected = find(x, axis)
        else:
            expected = x.shape[axis] - 1 - find(np.flip(x, axis), axis)
            clean = ~np.isnan(x).any(axis)
            expected = np.where(clean, expected, find(x, axis))
        np.testing.assert_array_equal(places, expected)
        np.testing.assert_array_equal(
            values, np.take_along_axis(x, np.expand_dims(expected, axis), axis).squeeze(axis)
        )


@pytest.mark.parametrize("init", [-0.0, 0.0])
@pytest.mark.parametrize(
    ("op", "expected"), [("maximum", 300), ("minimum", 0), ("multiply", 0), ("add", 45150), ("or", None)]
)
@pytest.mark.parametrize("element", ["f32", "f64", "bf16"])
def test_reductions_that_start_at_either_zero(
    op: str, expected: float | None, init: float, element: str
) -> None:
    """Of the numbers from 1 to 300, which f32 adds exactly, and bf16 rounds once."""
    type, start, x = element, init, np.arange(1, 301)
    if op == "or":
        type, start, x = "i32", int(init), np.arange(1, 301)
    text = f"""func.func @main(%x: tensor<300x{type}>, %i: tensor<{type}>) -> tensor<{type}> {{
      %0 = stablehlo.reduce(%x init: %i) applies stablehlo.{op} across dimensions = [0]
        : (tensor<300x{type}>, tensor<{type}>) -> tensor<{type}>
      return %0 : tensor<{type}>
    }}"""
    dtype = numpy_dtype(parse_type(type))
    (found,) = shlo.run(shlo.parse(text), [x.astype(dtype), np.array(start, dtype)], engine="numpy")
    assert found == (np.array(511) if expected is None else np.array(expected)).astype(dtype)
