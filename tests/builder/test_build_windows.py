"""Conv, ConvWithGeneralPadding, ReduceWindow and SelectAndScatter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from building import Array, f32, result, results, s32

from stablehlo_py.builder import BuildError, Padding, XlaBuilder

FLOAT_MIN, FLOAT_MAX = np.finfo(f32).min, np.finfo(f32).max

# ReduceWindow


def test_a_matrix_of_4_by_6_in_windows_of_2_by_3() -> None:
    """001's example, with the numbers 0 to 23: the last element of each window is its largest."""
    b = XlaBuilder("reduce_window_2x3")
    x = b.Parameter(0, "f32[4,6]", "input")
    b.ReduceWindow(x, b.ConstantLiteral(FLOAT_MIN), b.Max, [2, 3], [2, 3], Padding.kValid)
    found = result(b, np.arange(24, dtype=f32).reshape(4, 6))
    assert found.tolist() == [[8, 11], [20, 23]]


def test_the_code_of_000_and_003_has_the_computation_first() -> None:
    largest = XlaBuilder("max")
    largest.Max(largest.Parameter(0, "f32[]", "y"), largest.Parameter(1, "f32[]", "x"))
    b = XlaBuilder("reduce_window_2x3")
    x = b.Parameter(0, "f32[4,6]", "input")
    b.ReduceWindow(x, largest.Build(), b.ConstantLiteral(FLOAT_MIN), [2, 3], [2, 3], Padding.kValid)
    found = result(b, np.arange(24, dtype=f32).reshape(4, 6))
    assert found.tolist() == [[8, 11], [20, 23]]


@pytest.mark.parametrize(
    ("padding", "expected"),
    [
        (Padding.kValid, [100, 1]),
        (Padding.kSame, [1000, 10, 1]),
        ("same", [1000, 10, 1]),
        ([(1, 1)], [1000, 10, 1]),
        ([(0, 2)], [100, 1, 1]),
    ],
)
def test_the_least_of_three_by_steps_of_two(padding: Any, expected: list[int]) -> None:
    """001's example of padding, and two pairs."""
    b = XlaBuilder()
    x = b.Parameter(0, "f32[5]")
    b.ReduceWindow(x, FLOAT_MAX, b.Min, [3], [2], padding)
    found = result(b, np.array([10000, 1000, 100, 10, 1], f32))
    assert found.tolist() == expected


def test_same_padding_has_the_odd_element_at_the_end() -> None:
    """Six elements by steps of two: three windows of three need one more element, behind."""
    b = XlaBuilder()
    b.ReduceWindow(b.Parameter(0, "s32[6]"), 0, "Add", [3], [2], "SAME")
    found = result(b, np.arange(1, 7, dtype=s32))
    assert found.tolist() == [1 + 2 + 3, 3 + 4 + 5, 5 + 6]


def test_dilations() -> None:
    """[1, _, 2, _, 3, _, 4] in windows that see every second element: x0 + x2, _ + _, x2 + x4, ..."""
    b = XlaBuilder()
    x = b.Parameter(0, "s32[4]")
    b.ReduceWindow(x, 0, "Add", [2], [1], "VALID", base_dilations=[2], window_dilations=[2])
    found = result(b, np.arange(1, 5, dtype=s32))
    assert found.tolist() == [3, 0, 5, 0, 7]


def test_dilations_before_the_padding() -> None:
    """The order of 001's table of arguments."""
    b = XlaBuilder()
    b.ReduceWindow(b.Parameter(0, "s32[4]"), 0, "Add", [2], [1], [2], [2], Padding.kValid)  # type: ignore[arg-type]
    assert result(b, np.arange(1, 5, dtype=s32)).tolist() == [3, 0, 5, 0, 7]


def test_several_operands() -> None:
    """The place and the value of the largest in each window."""
    b = XlaBuilder()
    values, places = b.Parameter(0, "f32[4]"), b.Parameter(1, "s32[4]")

    def larger(value: Any, place: Any, other: Any, at: Any) -> tuple[Any, Any]:
        p = value >= other
        return b.Select(p, value, other), b.Select(p, place, at)

    b.ReduceWindow([values, places], [FLOAT_MIN, -1], larger, [2], [2])
    found, at = results(b, np.array([3, 1, 4, 5], f32), np.arange(4, dtype=s32))
    assert (found.tolist(), at.tolist()) == ([3, 5], [0, 3])


def test_windows_that_do_not_fit() -> None:
    b = XlaBuilder()
    x = b.Parameter(0, "f32[4,6]")
    for window, strides, padding in (
        ([2], [1, 1], "VALID"),
        ([2, 2], [1], "SAME"),
        ([2, 0], [1, 1], "VALID"),
        ([2, 2], [1, 1], "FULL"),
        ([2, 2], [1, 1], [(0, 0)]),
    ):
        with pytest.raises(BuildError):
            b.ReduceWindow(x, 0.0, "Add", window, strides, padding)


# SelectAndScatter

FIGURE = [[7, 2, 5, 3, 8], [3, 8, 9, 3, 4], [1, 5, 7, 5, 6], [0, 6, 2, 7, 2]]  # 9 is in both windows above


def test_an_element_that_two_windows_pick() -> None:
    """The figure of the documents: 9 is the largest of two windows, which bring 2 and 6."""
    b = XlaBuilder()
    x, source = b.Parameter(0, "f32[4,5]"), b.Parameter(1, "f32[2,2]")
    b.SelectAndScatter(x, b.Ge, [2, 3], [2, 2], "VALID", source, 0.0, b.Add)
    found = result(b, np.array(FIGURE, f32), np.array([[2, 6], [3, 1]], f32))
    expected = np.zeros((4, 5), f32)
    expected[1, 2] = 2 + 6
    expected[2, 2] = 3 + 1
    np.testing.assert_array_equal(found, expected)


def test_windows_apart_with_same_padding() -> None:
    b = XlaBuilder()
    x, source = b.Parameter(0, "s32[5]"), b.Parameter(1, "s32[3]")
    b.SelectAndScatter(x, "Ge", [2], [2], Padding.kSame, source, 0, "Add")
    found = result(b, np.array([1, 4, 3, 2, 5], s32), np.array([10, 20, 30], s32))
    assert found.tolist() == [0, 10, 20, 0, 30]


def test_the_first_of_equal_elements_is_picked_by_ge() -> None:
    b = XlaBuilder()
    b.SelectAndScatter(b.Parameter(0, "s32[3]"), "Ge", [3], [1], "VALID", np.array([1], s32), 100, "Add")
    assert result(b, np.array([2, 2, 2], s32)).tolist() == [101, 100, 100]


def test_a_source_that_does_not_fit() -> None:
    b = XlaBuilder()
    x, source = b.Parameter(0, "f32[4,5]"), b.Parameter(1, "f32[2,3]")
    with pytest.raises(BuildError, match="SelectAndScatter"):
        b.SelectAndScatter(x, "Ge", [2, 3], [2, 2], "VALID", source, 0.0, "Add")


# Convolutions


def dilated(array: Array, factors: Sequence[int]) -> Array:
    """An array of two leading dimensions with zeros between its elements in the others."""
    sizes = [max((n - 1) * d + 1, 0) for n, d in zip(array.shape[2:], factors, strict=True)]
    wide = np.zeros((*array.shape[:2], *sizes), array.dtype)
    wide[(slice(None), slice(None), *(slice(None, None, d) for d in factors))] = array
    return wide


def padded(array: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    """Zeros around the other dimensions; negative numbers take elements away."""
    grown = np.pad(array, [(0, 0), (0, 0), *((max(a, 0), max(b, 0)) for a, b in pairs)])
    cut = [slice(-min(a, 0), n + min(b, 0)) for (a, b), n in zip(pairs, grown.shape[2:], strict=True)]
    return grown[(slice(None), slice(None), *cut)]


def convolved(
    lhs: Array,
    rhs: Array,
    strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int],
    rhs_dilation: Sequence[int],
    groups: int = 1,
) -> Array:
    """The document's words, one output at a time."""
    base, kernel = padded(dilated(lhs, lhs_dilation), padding), dilated(rhs, rhs_dilation)
    window = kernel.shape[2:]
    counts = [(n - w) // s + 1 for n, w, s in zip(base.shape[2:], window, strides, strict=True)]
    out = np.zeros((lhs.shape[0], rhs.shape[0], *counts), lhs.dtype)
    features, per_group = rhs.shape[1], rhs.shape[0] // groups
    for batch, z, *place in np.ndindex(out.shape):
        corner = [p * s for p, s in zip(place, strides, strict=True)]
        box = tuple(slice(c, c + w) for c, w in zip(corner, window, strict=True))
        first = z // per_group * features
        out[(batch, z, *place)] = (base[(batch, slice(first, first + features), *box)] * kernel[z]).sum()
    return out


def numbers(*shape: int) -> Array:
    return (np.arange(np.prod(shape)) * 7 % 11 - 4).reshape(shape).astype(f32)


@pytest.mark.parametrize(
    ("lhs", "rhs", "strides", "padding", "lhs_dilation", "rhs_dilation", "groups"),
    [
        ((2, 3, 5), (4, 3, 2), [1], [(0, 0)], [1], [1], 1),
        ((1, 2, 5, 6), (3, 2, 2, 3), [2, 1], [(1, 0), (2, 3)], [1, 1], [1, 1], 1),
        ((1, 2, 5, 6), (3, 2, 2, 3), [1, 2], [(-1, 1), (0, -2)], [1, 1], [1, 1], 1),
        ((1, 1, 4, 4), (1, 1, 2, 2), [1, 1], [(1, 1), (1, 1)], [2, 3], [1, 1], 1),
        ((1, 1, 7, 7), (2, 1, 2, 2), [1, 1], [(0, 0), (0, 0)], [1, 1], [3, 2], 1),
        ((1, 4, 5), (6, 2, 2), [1], [(0, 0)], [1], [1], 2),
        ((1, 3, 4, 4), (6, 1, 2, 2), [1, 1], [(0, 0), (0, 0)], [1, 1], [1, 1], 3),
        ((2, 3), (4, 3), [], [], [], [], 1),
    ],
    ids=[
        "1-D",
        "padding",
        "negative padding",
        "transposed",
        "atrous",
        "grouped",
        "depthwise",
        "no dimensions",
    ],
)
def test_convolutions(
    lhs: Any, rhs: Any, strides: Any, padding: Any, lhs_dilation: Any, rhs_dilation: Any, groups: int
) -> None:
    b = XlaBuilder()
    x, w = b.Parameter(0, ("f32", lhs)), b.Parameter(1, ("f32", rhs))
    b.ConvWithGeneralPadding(x, w, strides, padding, lhs_dilation, rhs_dilation, groups)
    found = result(b, numbers(*lhs), numbers(*rhs))
    expected = convolved(numbers(*lhs), numbers(*rhs), strides, padding, lhs_dilation, rhs_dilation, groups)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("padding", "pairs"), [("SAME", [(0, 1), (1, 1)]), (Padding.kValid, [(0, 0), (0, 0)])]
)
def test_padding_by_name(padding: Any, pairs: Any) -> None:
    b = XlaBuilder()
    x, w = b.Parameter(0, "f32[1,2,6,5]"), b.Parameter(1, "f32[3,2,2,3]")
    b.Conv(x, w, [1, 1], padding)
    found = result(b, numbers(1, 2, 6, 5), numbers(3, 2, 2, 3))
    np.testing.assert_array_equal(
        found, convolved(numbers(1, 2, 6, 5), numbers(3, 2, 2, 3), [1, 1], pairs, [1, 1], [1, 1])
    )


def test_same_padding_keeps_the_sizes_that_strides_leave() -> None:
    b = XlaBuilder()
    x, w = b.Parameter(0, "f32[1,1,5]"), b.Parameter(1, "f32[1,1,3]")
    assert b.Conv(x, w, [1], "SAME").shape == (1, 1, 5)
    assert b.Conv(x, w, [2], "SAME").shape == (1, 1, 3)


@pytest.mark.parametrize(("lhs", "rhs"), [("f32[1,1,<=5]", "f32[1,1,3]"), ("f32[1,1,5]", "f32[1,1,<=3]")])
def test_same_padding_needs_static_sizes(lhs: str, rhs: str) -> None:
    b = XlaBuilder()
    x, w = b.Parameter(0, lhs), b.Parameter(1, rhs)
    with pytest.raises(BuildError, match="SAME padding requires static dimensions"):
        b.Conv(x, w, [1], "SAME")
    b.Conv(x, w, [1], "VALID")


@pytest.mark.parametrize(("name", "padding"), [("ConvWithGeneralPadding", [(0, 0)]), ("Conv", "VALID")])
def test_groups_of_features(name: str, padding: Any) -> None:
    b = XlaBuilder()
    x, w = b.Parameter(0, "f32[4,6,5]"), b.Parameter(1, "f32[6,3,2]")
    getattr(b, name)(x, w, [1], padding, feature_group_count=2)
    lhs, rhs = numbers(4, 6, 5), numbers(6, 3, 2)
    wanted = convolved(lhs, rhs, [1], [(0, 0)], [1], [1], groups=2)
    np.testing.assert_array_equal(result(b, lhs, rhs), wanted)


@pytest.mark.parametrize(("name", "padding"), [("ConvWithGeneralPadding", [(0, 0)]), ("Conv", "VALID")])
def test_groups_of_the_batch(name: str, padding: Any) -> None:
    """Each half of the batch meets its half of the output features."""
    b = XlaBuilder()
    x, w = b.Parameter(0, "f32[4,3,5]"), b.Parameter(1, "f32[6,3,2]")
    getattr(b, name)(x, w, [1], padding, batch_group_count=2)
    lhs, rhs = numbers(4, 3, 5), numbers(6, 3, 2)
    halves = [
        convolved(lhs[2 * i : 2 * i + 2], rhs[3 * i : 3 * i + 3], [1], [(0, 0)], [1], [1]) for i in (0, 1)
    ]
    found = result(b, lhs, rhs)
    np.testing.assert_array_equal(found, np.concatenate(halves, axis=1))


def test_convolutions_that_do_not_fit() -> None:
    b = XlaBuilder()
    x, w = b.Parameter(0, "f32[1,2,5]"), b.Parameter(1, "f32[4,3,2]")
    for call in (
        lambda: b.Conv(x, w, [1], "VALID"),  # three input features for two
        lambda: b.Conv(x, x, [1, 1], "SAME"),
        lambda: b.Conv(x, b.Parameter(2, "f32[3]"), [1], "SAME"),
        lambda: b.ConvWithGeneralPadding(x, x, [1], [(0, 0), (0, 0)]),
    ):
        with pytest.raises(BuildError, match="Conv"):
            call()


def test_a_window_without_a_stride() -> None:
    """The definition rejects it; padding by name has no part in it."""
    b = XlaBuilder()
    x = b.Parameter(0, "f32[2,3]")
    with pytest.raises(BuildError, match=r"0 < window_strides\n +window_strides is \[0, 1\]"):
        b.ReduceWindow(x, 0.0, b.Add, [2, 2], [0, 1], "SAME")
