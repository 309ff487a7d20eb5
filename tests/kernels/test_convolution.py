"""Convolutions: the specification's example, and a naive sum over indices on all attributes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifted import type_of

from stablehlo_py.ir.types import F32, TensorType
from stablehlo_py.kernels import convolution as module
from stablehlo_py.kernels.convolution import convolution, dimension_of
from stablehlo_py.kernels.registry import Array


def attributes(rank: int, **given: Any) -> dict[str, Any]:
    """Attributes for [b, f, 0, 1, ...] x [o, i, 0, 1, ...] -> [b, f, 0, 1, ...], with what is given."""
    spatial = tuple(range(2, 2 + rank))
    plain = {
        "window_strides": (1,) * rank,
        "padding": np.zeros((rank, 2), np.int64),
        "lhs_dilation": (1,) * rank,
        "rhs_dilation": (1,) * rank,
        "window_reversal": (False,) * rank,
        "input_batch_dimension": 0,
        "input_feature_dimension": 1,
        "input_spatial_dimensions": spatial,
        "kernel_output_feature_dimension": 0,
        "kernel_input_feature_dimension": 1,
        "kernel_spatial_dimensions": spatial,
        "output_batch_dimension": 0,
        "output_feature_dimension": 1,
        "output_spatial_dimensions": spatial,
        "feature_group_count": 1,
        "batch_group_count": 1,
    }
    return plain | given


def naive(lhs: Array, rhs: Array, a: dict[str, Any]) -> Array:
    """The definition, element by element, as [b, f, 0, 1, ...] for lhs [b, f, ...] and rhs [o, i, ...]."""
    rank = lhs.ndim - 2
    padded = []
    for d in range(rank):
        low, high = a["padding"][d]
        size = lhs.shape[2 + d]
        padded.append(low + high + ((size - 1) * a["lhs_dilation"][d] + 1 if size else 0))
    counts = [
        max(0, (p - ((k - 1) * r + 1)) // s + 1)
        for p, k, r, s in zip(padded, rhs.shape[2:], a["rhs_dilation"], a["window_strides"], strict=True)
    ]
    groups, batches = a["feature_group_count"], a["batch_group_count"]
    features, images = rhs.shape[0], lhs.shape[0] // batches
    result = np.zeros((images, features, *counts), lhs.dtype)
    for b, o, *place in np.ndindex(*result.shape):
        image = b + images * (o // (features // batches))
        for i, *tap in np.ndindex(*rhs.shape[1:]):
            source = [image, i + rhs.shape[1] * (o // (features // groups))]
            for d in range(rank):
                t = rhs.shape[2 + d] - 1 - tap[d] if a["window_reversal"][d] else tap[d]
                at = place[d] * a["window_strides"][d] + t * a["rhs_dilation"][d] - a["padding"][d][0]
                step = a["lhs_dilation"][d]
                source.append(at // step if at % step == 0 else -1)
            is_element = all(0 <= x < n for x, n in zip(source, lhs.shape, strict=True))
            element = lhs[tuple(source)] if is_element else lhs.dtype.type(0)
            result[(b, o, *place)] += element * rhs[(o, i, *tap)]
    return result


def test_specification_example() -> None:
    lhs = np.array([[[1, 2, 5, 6], [3, 4, 7, 8], [10, 11, 14, 15], [12, 13, 16, 17]]])[..., None]
    result = convolution(
        lhs,
        np.ones((3, 3, 1, 1), np.int64),
        **attributes(
            2,
            window_strides=(4, 4),
            lhs_dilation=(2, 2),
            input_spatial_dimensions=(1, 2),
            input_feature_dimension=3,
            kernel_spatial_dimensions=(0, 1),
            kernel_input_feature_dimension=2,
            kernel_output_feature_dimension=3,
            output_spatial_dimensions=(1, 2),
            output_feature_dimension=3,
        ),
        result=type_of(lhs),
    )
    assert result.tolist() == [[[[10], [26]], [[46], [62]]]]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Array, Array, dict[str, Any]]:
    rank = draw(st.integers(0, 3))

    def each(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(rank))

    groups, batches = draw(st.sampled_from([(1, 1), (2, 1), (3, 1), (1, 2), (1, 3)]))
    inputs, outputs, images = draw(st.integers(0, 2)), draw(st.integers(0, 2)), draw(st.integers(0, 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lhs = rng.integers(-9, 9, (images * batches, inputs * groups, *each(0, 5)))
    rhs = rng.integers(-9, 9, (outputs * groups * batches, inputs, *each(1, 3)))
    return (
        lhs,
        rhs,
        attributes(
            rank,
            window_strides=each(1, 3),
            padding=np.array(
                [(draw(st.integers(-1, 3)), draw(st.integers(-1, 3))) for _ in range(rank)]
            ).reshape(-1, 2),
            lhs_dilation=each(1, 3),
            rhs_dilation=each(1, 3),
            window_reversal=tuple(draw(st.booleans()) for _ in range(rank)),
            feature_group_count=groups,
            batch_group_count=batches,
        ),
    )


@settings(max_examples=150, deadline=None)
@given(cases(), st.randoms(use_true_random=False), st.sampled_from(["int64", "int8", "float32", "complex64"]))
def test_agrees_with_the_definition(
    case: tuple[Array, Array, dict[str, Any]], random: Any, dtype: str
) -> None:
    lhs, rhs, a = case
    expected = naive(lhs, rhs, a)
    orders = [list(range(lhs.ndim)) for _ in range(3)]
    for order in orders:
        random.shuffle(order)
    lhs_order, rhs_order, order = orders
    names = {
        "input_batch_dimension": lhs_order.index(0),
        "input_feature_dimension": lhs_order.index(1),
        "input_spatial_dimensions": tuple(lhs_order.index(d) for d in range(2, lhs.ndim)),
        "kernel_output_feature_dimension": rhs_order.index(0),
        "kernel_input_feature_dimension": rhs_order.index(1),
        "kernel_spatial_dimensions": tuple(rhs_order.index(d) for d in range(2, lhs.ndim)),
        "output_batch_dimension": order.index(0),
        "output_feature_dimension": order.index(1),
        "output_spatial_dimensions": tuple(order.index(d) for d in range(2, lhs.ndim)),
    }
    result = convolution(
        np.ascontiguousarray(lhs.transpose(lhs_order)).astype(dtype),
        np.ascontiguousarray(rhs.transpose(rhs_order)).astype(dtype),
        **(a | names),
        result=type_of(np.zeros(expected.shape, dtype)),
    )
    assert np.array_equal(result, expected.astype(dtype).transpose(order))


@pytest.mark.parametrize("order", ["channels last", "channels first", "batch last"])
def test_many_blocks(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window matrix in blocks of few elements gives what it gives in one."""
    rng = np.random.default_rng(0)
    lhs, rhs = rng.integers(-9, 9, (3, 4, 7, 6)), rng.integers(-9, 9, (2, 4, 3, 2))
    a = attributes(2, padding=np.ones((2, 2), np.int64))
    expected = naive(lhs, rhs, a)
    monkeypatch.setattr(module, "_BLOCK", 256)
    axes = {"channels last": (0, 2, 3, 1), "channels first": (0, 1, 2, 3), "batch last": (1, 2, 3, 0)}[order]
    strided = np.ascontiguousarray(lhs.transpose(axes)).transpose(np.argsort(axes))
    assert np.array_equal(convolution(strided, rhs, **a, result=type_of(expected)), expected)


def test_large_kernel_gradient_goes_in_blocks_of_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    lhs, rhs = rng.integers(-9, 9, (2, 3, 9, 9)), rng.integers(-9, 9, (4, 3, 8, 8))
    monkeypatch.setattr(module, "_BLOCK", 512)
    a = attributes(2)
    assert np.array_equal(convolution(lhs, rhs, **a, result=type_of(lhs)), naive(lhs, rhs, a))


def test_narrow_floats_round_once() -> None:
    ones = np.ones((1, 1, 257), ml_dtypes.bfloat16)
    result = convolution(ones, ones, **attributes(1), result=type_of(ones))
    assert result.dtype == ones.dtype
    assert result.item() == 256  # 257, rounded to 2s; to even


@pytest.mark.parametrize("groups", [(1, 1), (2, 1), (4, 1), (1, 2)], ids=str)
@pytest.mark.parametrize("dilation", [1, 2, 3])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_zeros_between_elements_are_multiplied(groups: tuple[int, int], dilation: int) -> None:
    rng = np.random.default_rng(1)
    features, batches = groups
    lhs = rng.integers(1, 4, (2, 4, 5, 6)).astype(np.float32)
    rhs = rng.integers(1, 4, (8, 4 // features, 3, 3)).astype(np.float32)
    rhs[0, 0, 0, 1], rhs[5, 0, 2, 2], rhs[6, 0, 1, 0] = np.inf, -np.inf, np.nan
    a = attributes(
        2,
        lhs_dilation=(dilation, 2),
        padding=np.array([[2, 1], [0, 4]]),
        feature_group_count=features,
        batch_group_count=batches,
    )
    expected = naive(lhs, rhs, a)
    assert 0 < np.isnan(expected).sum() < expected.size
    found = convolution(lhs, rhs, **a, result=type_of(lhs))
    assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_single_weight_that_is_not_finite(weight: float) -> None:
    """The windows of 1, 0, 2, of which the middle one is a zero of the dilation."""
    lhs, rhs = np.array([[[1, 2]]], np.float32), np.array([[[weight, 3]]], np.float32)
    found = convolution(lhs, rhs, **attributes(1, lhs_dilation=(2,)), result=TensorType((1, 1, 2), F32))
    assert np.array_equal(found, np.array([[[weight, np.nan]]]), equal_nan=True)


def test_result_without_elements() -> None:
    lhs, rhs = np.ones((2, 1, 2), np.float32), np.ones((3, 1, 5), np.float32)
    assert convolution(
        lhs, rhs, **attributes(1), result=TensorType((2, 3, 0), type_of(lhs).element_type)
    ).shape == (2, 3, 0)
    # Windows of no elements are none, also in no elements; of one element there is one for each.
    assert [dimension_of(size, 0, 1, 0, 0, 1, 1).size for size in (0, 1)] == [0, 2]


def test_naive_is_not_trivial() -> None:
    lhs, rhs = np.arange(4).reshape(1, 1, 4), np.array([[[1, 10]]])
    assert naive(lhs, rhs, attributes(1)).ravel().tolist() == [10, 21, 32]
    assert naive(lhs, rhs, attributes(1, window_reversal=(True,))).ravel().tolist() == [1, 12, 23]


def test_phases_of_a_large_dilation() -> None:
    size, phases = dimension_of(2, 2, 1, 0, 0, 2**62, 1)  # two elements 2**62 apart, two taps, no padding
    assert size == 2**62  # 2**62 + 1 padded elements, in windows of two
    # Output 0 reads element 0 with tap 0; output 2**62 - 1 reads element 1 with tap 1.
    assert [(p.outputs.start, p.taps.start, p.start, p.output_count) for p in phases] == [
        (0, 0, 0, 1),
        (2**62 - 1, 1, 1, 1),
    ]
