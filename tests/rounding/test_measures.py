"""Measures of errors: hand calculations on a few numbers."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stablehlo_py.ir.types import FloatType, FunctionType, IntegerType, TensorType, TupleType
from stablehlo_py.rounding import products, shadowed
from stablehlo_py.rounding.measures import BLOCK, blocks_of, difference, measure, parts_of
from stablehlo_py.rounding.parts import (
    at_random,
    carried_by_slopes,
    carried_shares,
    element_count,
    gone,
    of_norm,
    predicted,
)
from stablehlo_py.rounding.random_rounding import deviation
from stablehlo_py.rounding.shadowed import Shadowed
from stablehlo_py.rounding.steps import _with_window
from stablehlo_py.rounding.widening import Widening


def test_difference_is_a_root_mean_square() -> None:
    assert difference(np.array([1.0, 2.0]), np.array([1.0, 0.0])) == pytest.approx(math.sqrt(2), rel=1e-12)
    long = np.full((3, BLOCK), 4.0)  # in blocks
    long[0] = 1.0
    assert difference(long, np.full(long.shape, 1.0)) == pytest.approx(math.sqrt(6), rel=1e-12)


@pytest.mark.parametrize(
    ("shape", "count", "most"),
    [
        ((0, 5), 0, 0),
        ((), 1, 1),
        ((BLOCK,), 1, BLOCK),
        ((BLOCK + 2,), 2, BLOCK // 2 + 1),
        ((2, BLOCK), 2, BLOCK),
        ((3, 2, BLOCK // 2), 3, BLOCK),
        ((5, BLOCK // 2), 3, BLOCK),
        ((2, BLOCK + 1, 3), 8, 6147),  # rows of 3, of which 2730 are less than a block: 4 times 2049 or less
    ],
)
def test_parts_of_about_the_same_size(shape: tuple[int, ...], count: int, most: int) -> None:
    found = np.zeros(shape, int)
    sizes = []
    for at in parts_of(shape):
        found[at] += 1
        sizes.append(found[at].size)
    assert (found == 1).all()
    assert (len(sizes), max(sizes, default=0)) == (count, most)


@pytest.mark.parametrize("n", [2, BLOCK + 1])
def test_the_largest_error_beside_elements_that_are_infinite_in_all(n: int) -> None:
    y1, y = np.full(n, 2.5), np.full(n, 2.0)
    y1[0] = y[0] = math.inf
    with np.errstate(invalid="ignore"):
        found = measure(blocks_of(y1, y, y), n, "f32")
    assert (found.largest, found.overflow) == (0.25, 0)
    assert (found.error, found.introduced, found.carried) == pytest.approx((0.25, 0.25, 0), rel=1e-12)
    assert found.norm == pytest.approx(2 * math.sqrt((n - 1) / n), rel=1e-12)


def test_elements_that_the_wide_op_does_not_hold_are_left_out() -> None:
    """Of two elements, the second is infinite in f(x') alone: what is carried is infinite, and no more."""
    y1, y, f = np.array([1.5, 2.0]), np.array([1.0, 4.0]), np.array([1.25, math.inf])
    with np.errstate(invalid="ignore"):
        found = measure([(y1, y, f)], 2, "f32")
    norm = math.sqrt(17 / 2)
    assert (found.norm, found.carried, found.overflow) == (pytest.approx(norm), math.inf, 0)
    assert found.error == pytest.approx(0.5 / math.sqrt(17))
    assert found.introduced == pytest.approx(0.25 / math.sqrt(17))


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([[1.0], [3.0]], math.sqrt(2) / 2),  # the deviation of a sample of two
        ([[2.0, 5.0], [2.0, 5.0]], 0.0),
        ([[1.0, 4.0], [3.0, 4.0]], math.sqrt((2 + 0) / 2) / math.sqrt((4 + 16) / 2)),
        ([[-1.0], [1.0]], math.inf),
    ],
)
def test_deviation_is_of_a_sample(runs: list[list[float]], expected: float) -> None:
    assert deviation(np.array(runs)) == pytest.approx(expected, rel=1e-12)


def test_shares_add_up_as_independent() -> None:
    """Errors of 3 and 4 are 5 together; of a value of 2, the one without the other is 1 or 2 less."""
    shares = np.array([9.0, 16.0, 0.0]) / 2.0**2
    value = Shadowed(np.array([2.0], np.float32), np.array([2.0]), shares, 2.5)
    assert gone(value, [[0], [1], [0, 1], [2]]) == pytest.approx([0.5, 1.0, 2.5, 0.0], rel=1e-12)
    assert predicted(value) == pytest.approx(2.5, rel=1e-12)
    exact = Shadowed(np.array([2.0], np.float32))
    assert (gone(exact, [[0]]), predicted(exact)) == ([0.0], 0.0)


def test_shares_of_any_size_add_up() -> None:
    """Without an error of 1 one of 2**-13 is left, whose square vanishes beside 1 in f32."""
    value = Shadowed(np.ones(1, np.float32), np.ones(1), np.array([1, 2.0**-26], np.float32), 1.0)
    found = gone(value, [[0], [1], [0, 1]])
    assert found == pytest.approx([1 + 2.0**-27 - 2.0**-13, 2.0**-27, 1 + 2.0**-27], rel=1e-9)


def test_parts_far_beyond_the_error_are_scaled_to_it() -> None:
    """Errors of 14.5 and -4 of a value of 2 are 10.5 times its error of a half; 14 and -4 are 10 times."""
    value = Shadowed(np.array([2.0], np.float32), np.array([2.0]), np.array([[14.5], [-4.0]]), 0.5)
    assert gone(value, [[0], [1]]) == pytest.approx([3.25 / 10.5, -2 / 10.5], rel=1e-12)
    value = Shadowed(np.array([2.0], np.float32), np.array([2.0]), np.array([[14.0], [-4.0]]), 0.5)
    assert gone(value, [[0], [1]]) == pytest.approx([3, -2], rel=1e-12)


def test_signed_parts_add_up_with_their_signs() -> None:
    """Errors of 3 and -4 are -1: without the first the error is 3 larger, without the second 2 larger."""
    value = Shadowed(np.array([2.0], np.float32), np.array([2.0]), np.array([[3.0], [-4.0]]), 0.5)
    assert gone(value, [[0], [1]]) == pytest.approx([-1.5, -1.0], rel=1e-12)
    assert predicted(value) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("size", [3, BLOCK, 2 * BLOCK + 5])
def test_measures_of_blocks_are_those_of_the_whole(size: int) -> None:
    rng = np.random.default_rng(size)
    y, f = rng.normal(1, 0.1, size), rng.normal(1, 0.1, size)
    y1 = rng.normal(1, 0.1, size).astype(np.float32)
    found = measure(blocks_of(y1, y, f), size, "f32")
    norm = math.sqrt(np.mean(y**2))
    for measured, error in ((found.error, y1 - y), (found.introduced, y1 - f), (found.carried, f - y)):
        assert measured == pytest.approx(math.sqrt(np.mean(error**2)) / norm, rel=1e-12)
    assert found.norm == pytest.approx(norm, rel=1e-12)
    assert found.largest == pytest.approx(np.max(np.abs(y1 - y) / np.abs(y)), rel=1e-12)
    assert found[5:] == (0, 0, 0)
    moved = measure(blocks_of(y1, y, None), size, "f32", math.inf)
    exact = measure(blocks_of(y1, y, y), size, "f32")
    assert (moved.error, moved.introduced, moved.carried, moved.largest) == (found.error, 0, found.error, 0)
    assert (exact.error, exact.introduced, exact.carried) == (found.error, found.error, 0)
    assert exact.largest == found.largest
    assert measure(blocks_of(y1, y, f), size, "f32", 0.5 * found.error) == found
    assert (measure(blocks_of(y1, y, f), size, "f32", found.error).largest == 0) == (size <= BLOCK)


def test_shares_of_signed_parts_are_mean_squares_relative_to_the_value() -> None:
    parts = np.array([[3.0, 1.0], [0.0, 2.0]])
    value = Shadowed(np.array([2.0, 2.0], np.float32), np.array([2.0, 2.0]), parts)
    assert value.shares() == pytest.approx([5 / 4, 2 / 4], rel=1e-12)
    zeros = Shadowed(np.zeros(2, np.float32), np.zeros(2), np.array([[3.0, 1.0], [0.0, 0.0]]))
    assert zeros.shares().tolist() == [1e15, 0.0]


@pytest.mark.parametrize(
    ("error", "profile"),
    [([1.0, -3.0], [1 / math.sqrt(5), 3 / math.sqrt(5)]), ([0.0, 0.0], [1, 1]), ([1.0, math.inf], [1, 1])],
)
def test_parts_at_random_are_in_proportion_to_an_error(error: list[float], profile: list[float]) -> None:
    """The root mean square of 1 and -3 is the root of 5; signs are drawn for each part and element."""
    generator = np.random.default_rng(0)
    found = np.stack([at_random(np.array([2.0, 0.5]), np.array(error), generator) for _ in range(20)])
    expected = np.broadcast_to(np.outer([2.0, 0.5], profile), found.shape)
    assert np.abs(found) == pytest.approx(expected, rel=1e-12)
    assert len({tuple(each) for each in np.sign(found).reshape(20, -1).tolist()}) > 8


def test_of_how_many_elements_there_are_parts() -> None:
    """Of 32,768 numbers in all."""
    given = [(10**6, 0), (10**6, 1), (10**6, 3), (10**6, 32), (1000, 32), (0, 5)]
    assert [element_count(*each) for each in given] == [32768, 32768, 10922, 1024, 1000, 0]


@pytest.mark.parametrize(
    ("shapes", "batching", "contracting", "expected"),
    [
        (((3, 2048), (2048, 2048)), ((), ()), ((1,), (0,)), (1, 1, 1)),
        (((3, 2048), (2048, 2047)), ((), ()), ((1,), (0,)), None),  # less than four million elements
        (((2048, 2048), (2048, 3)), ((), ()), ((1,), (0,)), (0, 0, 0)),
        (((2, 3, 4, 8), (2, 5, 1 << 17, 7, 8)), ((0,), (0,)), ((3,), (4,)), (1, 2, 4)),
        (((2, 1 << 17, 64, 8), (2, 8)), ((0,), (0,)), ((3,), (1,)), (0, 1, 1)),
        (((1 << 22,), (1 << 22,)), ((), ()), ((0,), (0,)), None),  # all elements are terms
    ],
)
def test_products_with_a_long_operand(
    shapes: Any, batching: Any, contracting: Any, expected: tuple[int, int, int] | None
) -> None:
    """Its number, its longest dimension that remains, and the place of that in the result."""
    keywords = {}
    for side, batch, terms in zip(("lhs", "rhs"), batching, contracting, strict=True):
        keywords |= {f"{side}_batching_dimensions": batch, f"{side}_contracting_dimensions": terms}
    arrays = [np.broadcast_to(np.float16(1), shape) for shape in shapes]
    step: Any = SimpleNamespace(keywords=keywords)
    assert products.long_factor(step, [Shadowed(x) for x in arrays]) == expected
    inexact = [Shadowed(x, x) for x in arrays]
    assert products.long_factor(step, inexact) is None
    assert products.long_factor(SimpleNamespace(keywords={}), [Shadowed(x) for x in arrays]) is None


@pytest.mark.parametrize(
    ("shape", "dimension", "sizes"),
    [
        ((1 << 10, 1 << 9), 0, [512, 512]),
        ((1 << 10, 1 << 9), 1, [256, 256]),
        ((3, 1 << 19), 0, [1, 1, 1]),
        ((5, 7), 1, [7]),
        ((0, 7), 1, [7]),
    ],
)
def test_blocks_that_are_widened(shape: tuple[int, int], dimension: int, sizes: list[int]) -> None:
    """Of 262,144 elements, or of one row."""
    array = np.broadcast_to(np.float16(1), shape)
    end = 0
    for (part, block), size in zip(products.blocks(array, dimension, np.dtype("f4")), sizes, strict=True):
        assert part.start == end
        assert (block.dtype, block.shape[dimension], block.shape[1 - dimension]) == (
            np.dtype("f4"),
            size,
            shape[1 - dimension],
        )
        end = part.stop
    assert end >= shape[dimension]


def test_errors_of_some_elements_have_the_norm_of_all() -> None:
    assert of_norm(np.array([1.0, -3.0]), math.sqrt(20)) == pytest.approx([2.0, -6.0], rel=1e-12)
    assert of_norm(np.zeros(2), 4.0).tolist() == [4.0, 4.0]
    assert of_norm(np.array([math.inf]), 2e15).tolist() == [1e15]


def test_shares_are_scaled_to_the_error_that_is_carried() -> None:
    """Gains of 2 and 1 weigh the shares by 4 and 1; together they are the square of 0.5."""
    wide = np.array([1.0])
    first = Shadowed(np.array([1.0], np.float32), wide, np.array([0.02, 0.0]), total=0.02)
    second = Shadowed(np.array([1.0], np.float32), wide, np.array([0.0, 0.12]), total=0.12)
    found = carried_shares({first: 2.0, second: 1.0}, 0.5)
    assert found is not None
    assert found == pytest.approx([0.25 * 0.08 / 0.2, 0.25 * 0.12 / 0.2], rel=1e-9)
    assert carried_shares({first: 0.0}, 0.5) is None
    without_parts = Shadowed(np.array([1.0], np.float32), wide)
    alone = carried_shares({without_parts: 1.0, first: 2.0}, 0.5)
    assert alone == pytest.approx([0.25, 0.0], rel=1e-9)
    assert carried_shares({Shadowed(np.array([1.0], np.float32), wide): 1.0}, 0.5) is None


def test_slopes_carry_signed_parts() -> None:
    """Of a product of 3 and 5 the slopes are 5 and 3; an operand that is given twice has both."""
    narrow = np.array([3.0], np.float32), np.array([5.0], np.float32)
    x = Shadowed(narrow[0], np.array([3.0 + 1e-6]), np.array([[1e-6], [0.0]]))
    y = Shadowed(narrow[1], np.array([5.0 + 1e-6]), np.array([[0.0], [1e-6]]))
    dtype = np.dtype(np.float64)
    found = carried_by_slopes(np.multiply, [x, y], dtype, (2, 1))
    assert found[:, 0] == pytest.approx([5e-6, 3e-6], rel=1e-4)
    assert carried_by_slopes(np.multiply, [x, x], dtype, (2, 1))[:, 0] == pytest.approx([6e-6, 0], rel=1e-4)


def test_slopes_are_those_of_the_errors_that_there_are() -> None:
    """Of squares: from 0.5 to 1 the slope is 1.5; of an element without an error it is 2 * 3."""
    x = Shadowed(np.array([1.0, 3.0], np.float32), np.array([0.5, 3.0]), np.array([[4.0, 8.0]]))
    found = carried_by_slopes(np.square, [x], np.dtype(np.float64), (1, 2))
    assert found[0] == pytest.approx([4 * 1.5, 8 * 6], rel=1e-6)


def test_arrays_that_are_widened() -> None:
    single = np.dtype(np.float32)
    for kept in (np.ones(2, np.float64), np.ones(2, np.int16), np.ones(2, np.complex64), 3):
        assert shadowed.widened(kept, single) is kept
    found = shadowed.widened(np.ones(2, np.float16), single)
    assert (found.dtype, found.tolist()) == (single, [1, 1])


def test_what_is_widened() -> None:
    widening = Widening("f32")
    half, single, wide = FloatType("bf16"), FloatType("f32"), FloatType("f64")
    whole = IntegerType(32)
    kept = (single, wide, whole, TensorType((2,), whole), TensorType((2,), wide))
    assert [widening.type(each) for each in kept] == list(kept)
    assert not any(widening.is_narrow(each) for each in kept) and widening.is_narrow(half)
    tensor, widened = TensorType((2,), half), TensorType((2,), single)
    assert widening.type(tensor) == widened
    assert widening.type(TupleType((tensor, whole))) == TupleType((widened, whole))
    assert widening.type(FunctionType((tensor,), (whole, tensor))) == FunctionType(
        (widened,), (whole, widened)
    )


@pytest.mark.parametrize(
    ("whole", "part", "at", "expected"),
    [
        (([3, 4], None), ([4], [4.5]), 0, ([4, 4], [4.5, 4])),
        (([3, 4], None), ([4], [4.5]), 1, ([3, 4], [3, 4.5])),
        (([3, 4], None), ([4], [4.5]), 5, ([3, 4], [3, 4.5])),  # as the last one
        (([3, 4], None), ([4], [4.5]), -5, ([4, 4], [4.5, 4])),
        (([3, 4], [3.5, 4.5]), ([4], [4.5]), 0, ([4, 4], [4.5, 4.5])),
        (([3, 4], [3.5, 4.5]), ([4], None), 0, ([4, 4], [4, 4.5])),
        (([4, 0, 0, 0], None), ([3], [3.5]), 0, ([3, 0, 0, 0], [3.5, 0, 0, 0])),
        (([3, 0.125], None), ([4], [4.5]), 0, ([4, 0.125], [4.5, 0.125])),  # a 577th of the squares is left
        (([3, 0.0625], None), ([4], [4.5]), 0, None),  # a 2305th
        (([3, 4], [3.5, 4.0625]), ([4], None), 0, ([4, 4], [4, 4.0625])),  # of the squares of errors a 65th
        (([3, 4], [3.5, 4.0078125]), ([4], None), 0, None),  # a 4097th
    ],
)
def test_an_array_with_another_window(
    whole: tuple[Any, Any], part: tuple[Any, Any], at: int, expected: tuple[list[float], list[float]] | None
) -> None:
    """Narrow and wide arrays; their measures come from those of the array and the window alone."""
    dtype = np.dtype(np.float64)

    def value(narrow: list[float], wide: list[float] | None) -> Shadowed:
        y1 = np.array(narrow, np.float32)
        if wide is None:
            return Shadowed(y1)
        error = math.dist(narrow, wide) / math.hypot(*wide)
        return Shadowed(y1, np.array(wide, dtype), error=error)

    found = _with_window([value(*whole), value(*part), Shadowed(np.int32(at))], dtype)
    if expected is None:
        assert found is None
        return
    y1, y = expected
    error = pytest.approx(math.dist(y1, y) / math.hypot(*y), rel=1e-9)
    assert found == (pytest.approx(math.hypot(*y) / math.sqrt(len(y))), error, 0, error, 0, 0, 0, 0)
