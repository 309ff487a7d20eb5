"""CHLO kernels: special functions against known values, top_k, mulhi, next_after."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.types import F64, I64, TensorType
from stablehlo_py.kernels import chlo
from stablehlo_py.kernels.numeric import gamma, special
from stablehlo_py.kernels.registry import Array, Ints


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Floating-point warnings off, as in a run."""
    with np.errstate(all="ignore"):
        yield


def near(found: object, expected: list[float], ulps: float = 4) -> None:
    np.testing.assert_allclose(found, expected, rtol=ulps * 2**-52)  # type: ignore[arg-type]


def test_error_functions() -> None:
    x = [-3.0, -0.5, 0.0, 0.25, 0.999, 1.0, 1.5, 5.0]
    near(special.erf(np.array(x)), [math.erf(v) for v in x])
    near(special.erfc(np.array([*x, 20.0])), [math.erfc(v) for v in [*x, 20.0]])


def test_inverse_of_the_error_function() -> None:
    x = np.array([-0.99, -0.3, 0.0, 0.5, 0.9999, 1 - 1e-12])
    np.testing.assert_allclose(special.erf(special.erf_inv(x)), x, rtol=1e-15)
    assert special.erf_inv(np.array([-1.0, 1.0], np.float32)).tolist() == [-np.inf, np.inf]
    assert np.isnan(special.erf_inv(np.array([1.5])))


def test_gamma_functions() -> None:
    x = [0.1, 0.5, 3.7, 10.0, 100.0, -0.5, -3.3]
    np.testing.assert_allclose(gamma.lgamma(np.array(x)), [math.lgamma(v) for v in x], rtol=1e-13)
    assert gamma.lgamma(np.array([0.0, -2.0, np.inf])).tolist() == [np.inf] * 3
    assert np.isnan(gamma.digamma(np.array([0.0, -1.0]))).all()
    euler = 0.5772156649015329
    np.testing.assert_allclose(
        gamma.digamma(np.array([1.0, 2.0, 0.5])), [-euler, 1 - euler, -euler - 2 * math.log(2)], rtol=1e-14
    )


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        *((gamma.lgamma, x, np.inf) for x in (0.0, -0.0, -1.0, -2.0, -170.0, -np.inf, np.inf)),
        *((gamma.lgamma, x, 0.0) for x in (1.0, 2.0)),
        *((gamma.digamma, x, np.nan) for x in (0.0, -1.0, -2.0, -170.0)),
        *((function, np.nan, np.nan) for function in (gamma.lgamma, gamma.digamma)),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_poles_of_gamma_functions(function: Any, x: float, expected: float, dtype: type) -> None:
    """Alone, and beside another value: arrays of one kind take a way of their own."""
    for others in ([], [2.5], [-2.5]):
        found = function(np.array([x, *others], dtype))[0]
        np.testing.assert_array_equal(found, expected)
        assert expected != 0 or not np.signbit(found)


def test_zeta_and_polygamma() -> None:
    found = gamma.zeta(np.array([2.0, 4.0, 2.0]), np.array([1.0, 1.0, 0.5]))
    near(found, [math.pi**2 / 6, math.pi**4 / 90, math.pi**2 / 2], 16)
    found = gamma.polygamma(np.array([1.0, 2.0, 0.5]), np.array([1.0, 1.0, 1.0]))
    np.testing.assert_allclose(found[:2], [math.pi**2 / 6, -2.404113806319188570799476], rtol=1e-14)
    assert np.isnan(found[2])


@pytest.mark.parametrize(
    ("x", "q", "expected"),
    [(1, 2, np.inf), (1, -0.5, np.inf), (1, -2, np.inf), (2, -3, np.inf), (3, -3, np.nan), (2, 0, np.inf),
     (0.5, 2, np.nan), (2.5, -0.5, np.nan)],
)  # fmt: skip
def test_poles_of_zeta(x: float, q: float, expected: float) -> None:
    """Alone, and beside another value: arrays of one kind take a way of their own."""
    for others in ([], [2.0]):
        found = gamma.zeta(np.array([x, *others], float), np.array([q, *others], float))
        np.testing.assert_array_equal(found[0], expected)


@pytest.mark.parametrize("order", [-1.0, 0.5, 1.5, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("x", [0.5, 2.0])
def test_derivatives_of_no_order(order: float, x: float) -> None:
    """An order is an integer from 0 on."""
    assert np.isnan(gamma.polygamma(np.array([order]), np.array([x]))).all()
    assert np.isnan(gamma.polygamma(np.array([order, 1.0]), np.array([x, x]))).tolist() == [True, False]


def test_bessel() -> None:
    near(
        special.bessel_i1e(np.array([0.0, 1.0, -1.0, 20.0])),
        [0, 0.20791041534970844, -0.20791041534970844, 0.08750622218328866],
        8,
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_mulhi_is_the_upper_half(dtype: type) -> None:
    info = np.iinfo(dtype)
    values = [info.max, info.min, 3, info.max // 3, info.min // 5 if info.min else 77]
    a, b = np.array(values, dtype), np.array(values[::-1], dtype)
    expected = [x * y >> info.bits for x, y in zip(values, values[::-1], strict=True)]
    assert chlo.mulhi(a, b).tolist() == expected


def test_next_after_in_a_narrow_type() -> None:
    x = np.array([0.0, 1.0, 1.0, -1.0, 2.0], ml_dtypes.bfloat16)
    y = np.array([-1.0, 2.0, 0.0, 0.0, 2.0], ml_dtypes.bfloat16)
    found = chlo.next_after(x, y).view(np.uint16).tolist()
    assert found == [0x8001, 0x3F81, 0x3F7F, 0xBF7F, 0x4000]


def test_next_after_of_all_pairs() -> None:
    """Those of NumPy; from a zero to the other one, it is the other one, as in C."""
    patterns = [0x0000, 0x0001, 0x03FF, 0x0400, 0x3C00, 0x3BFF, 0x7BFF, 0x7C00, 0x7E00]
    values = np.array([p | sign for p in patterns for sign in (0, 0x8000)], np.uint16).view(np.float16)
    x, y = np.meshgrid(values, values)
    with np.errstate(all="ignore"):
        found, expected = chlo.next_after(x, y), np.where(x == y, y, np.nextafter(x, y))
    known = ~np.isnan(expected)
    assert np.array_equal(np.isnan(found), ~known)
    assert np.array_equal(found[known].view(np.uint16), expected[known].view(np.uint16))


def test_top_k_is_stable_and_takes_nan_first() -> None:
    values, indices = chlo.top_k(np.array([1.0, np.nan, 3.0, 3.0, -np.inf]), k=4)
    assert indices.tolist() == [1, 2, 3, 0]
    assert values[1:].tolist() == [3, 3, 1]


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("shape", [(40,), (3, 41), (2, 2, 100)])
def test_a_few_of_many_in_order(shape: tuple[int, ...], largest: bool) -> None:
    numbers = np.random.default_rng(0).integers(0, 6, shape)  # many are equal
    values, indices = chlo.first_in_order(numbers.astype(np.float32), 7, largest)
    for row, found, where in zip(
        numbers.reshape(-1, shape[-1]), values.reshape(-1, 7), indices.reshape(-1, 7), strict=True
    ):
        expected = sorted(range(len(row)), key=lambda i: (-row[i] if largest else row[i], i))[:7]
        assert where.tolist() == expected
        assert found.tolist() == row[expected].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("place", [0, 17, 40])  # 40: behind the groups
def test_a_few_of_special_values_in_the_total_order(place: int, dtype: type) -> None:
    row = np.full(41, 0.25)
    row[[3, 4, 5, 9]] = [-0.0, 0.0, np.inf, -np.inf]
    row[place] = np.nan
    values, indices = chlo.first_in_order(row.astype(dtype)[None], 3, largest=True)
    others = [i for i in range(41) if row[i] == 0.25][:1]
    assert indices.tolist() == [[place, 5, *others]]
    assert np.isnan(values.astype(np.float32)[0, 0])
    _, indices = chlo.first_in_order(row.astype(dtype)[None], 3, largest=False)
    assert indices.tolist() == [[9, 3, 4]]  # -inf, -0, +0
    row[[3, 4, place]] = [0.0, -0.0, 0.25]  # without a NaN
    _, indices = chlo.first_in_order(row.astype(dtype)[None], 3, largest=False)
    assert indices.tolist() == [[9, 4, 3]]


def test_top_k_of_floats_without_a_sign_or_a_negative_zero() -> None:
    powers = np.array([0.0625, 128.0, 0.5, 256.0]).astype(ml_dtypes.float8_e8m0fnu)
    found, places = chlo.top_k(powers, k=3)
    assert found.astype(float).tolist() == [256, 128, 0.5]
    assert places.tolist() == [3, 1, 2]
    signed = np.array([np.nan, -8.0, 1.0]).astype(ml_dtypes.float8_e4m3fnuz)  # its only NaN has the sign bit
    assert chlo.top_k(signed, k=2)[0].astype(float).tolist() == [1, -8]


def test_broadcasting_of_lower_rank() -> None:
    lhs, rhs = chlo.broadcast_operands(np.zeros((2, 3)), np.zeros(2), (0,))
    assert (lhs + rhs).shape == (2, 3)
    assert rhs.shape == (2, 1)


@pytest.mark.parametrize(
    ("lhs", "rhs", "dimensions", "expected"),
    [
        ((1, 1), (3,), (1,), (1, 3)),  # the smaller one is that of fewer dimensions
        ((3,), (1, 1), (1,), (1, 3)),
        ((2, 3, 4), (2, 4), (0, 2), (2, 3, 4)),
        ((2, 4), (2, 3, 4), (0, 2), (2, 3, 4)),
        ((2, 1), (3,), None, (2, 3)),
        ((0, 1), (1, 5), (0, 1), (0, 5)),
        ((), (2, 3), (), (2, 3)),
    ],
)
def test_shapes_of_broadcasting(lhs: Any, rhs: Any, dimensions: Any, expected: Any) -> None:
    a, b = chlo.broadcast_operands(np.zeros(lhs), np.zeros(rhs), dimensions)
    assert (a + b).shape == expected


@pytest.mark.parametrize(
    ("shapes", "listed"),
    [
        ([(2,), (3,)], "[2] and [3]"),
        ([(0,), (2,)], "[0] and [2]"),
        ([(2, 3), (2,)], "[2, 3] and [2]"),
    ],
)
def test_shapes_that_cannot_be_broadcast(shapes: Any, listed: str) -> None:
    message = f"shapes {listed} cannot be broadcast together: the sizes of a dimension must be equal or 1"
    with pytest.raises(RunError, match=re.escape(message)):
        chlo.broadcast_operands(np.zeros(shapes[0]), np.zeros(shapes[1]), None)


@pytest.mark.parametrize("odd", range(3))
def test_each_operand_of_a_selection_fits(odd: int) -> None:
    shapes = [(2,)] * 3
    shapes[odd] = (3,)
    pred, *others = map(np.zeros, shapes)
    with pytest.raises(RunError, match="cannot be broadcast together"):
        chlo.broadcast_select(pred.astype(bool), *others)


def running(x: Array, total: Array) -> tuple[Array, Array]:
    """The body of a cumulative sum; its output is the double."""
    return 2 * (x + total), x + total


@pytest.mark.parametrize(
    ("reverse", "sums", "last"),
    [
        (False, [[11, 13, 16], [24, 29, 35]], [16, 35]),
        (True, [[16, 15, 13], [35, 31, 26]], [16, 35]),
    ],
)
def test_scan_along_the_last_dimension(reverse: bool, sums: list[list[int]], last: list[int]) -> None:
    x, init = np.array([[1, 2, 3], [4, 5, 6]]), np.array([10, 20])
    (found, carry) = chlo.scan(
        (x,), (init,), dimension=1, scan_dim_size=None, is_reverse=reverse, body=running, outputs=(None,)
    )
    assert found.tolist() == [[2 * each for each in row] for row in sums]
    assert carry.tolist() == last


def test_scan_without_inputs() -> None:
    (powers, last) = chlo.scan(
        (),
        (np.array(1),),
        dimension=0,
        scan_dim_size=4,
        is_reverse=False,
        body=lambda x: (x, 2 * x),
        outputs=(None,),
    )
    assert (powers.tolist(), last.item()) == ([1, 2, 4, 8], 16)


@pytest.mark.parametrize(
    ("lhs", "outer", "numbers"),
    [
        ((2, 3, 6, 4), (0, 1), ((0, 1), (3,), 2)),  # batching dimensions, in their order
        ((2, 3, 6, 4), (1, 0), ((1, 0), (3,), 2)),
        ((4, 3, 6, 2), (3, 1), ((3,), (0,), 2)),  # a batching dimension, and a free one before the rows
        ((3, 2, 4, 6), (0, 1), ((0,), (2,), 3)),
        ((4, 3, 6), (1,), ((), (0,), 2)),  # no contracting dimension
        ((2, 3, 6), (1,), ((), (1, 2), 2)),  # contracting dimensions, and no free one
        ((2, 3, 6), (2,), ((), (2, 1), 1)),
        ((2, 3, 6), (0, 1), ((0,), (1, 2), 2)),
        ((2, 3, 6), (1,), ((1, 0), (2,), 0)),  # the batching dimensions before the ragged one
    ],
)
def test_group_sizes_of_outer_dimensions(
    lhs: tuple[int, ...], outer: tuple[int, ...], numbers: tuple[Ints, Ints, int]
) -> None:
    """Groups of other sizes for each index of outer dimensions; the definition, element by element."""
    batching, contracting, ragged = numbers
    rng = np.random.default_rng(0)
    shared = [lhs[d] for d in (*batching, *contracting)]
    is_free = ragged not in (*batching, *contracting)
    x, y = rng.integers(1, 9, lhs), rng.integers(1, 9, (*shared, *[2] * is_free))
    sizes = rng.integers(0, 3, (*[lhs[d] for d in outer], 2))
    free = [d for d in range(len(lhs)) if d not in (*batching, *contracting)]
    groups = [2] * (ragged in contracting)
    expected = np.zeros((*groups, *[lhs[d] for d in (*batching, *free)]), np.int64)
    for index in np.ndindex(*lhs):
        ends = sizes[tuple(index[d] for d in outer)].cumsum()
        group = int(np.searchsorted(ends, index[ragged], "right"))
        if group < 2:
            place = (*[group] * len(groups), *[index[d] for d in (*batching, *free)])
            term = (*[index[d] for d in (*batching, *contracting)], *[group] * is_free)
            expected[place] += x[index] * y[term]
    found = chlo.ragged_dot(
        x,
        y,
        sizes,
        lhs_batching_dimensions=batching,
        rhs_batching_dimensions=tuple(range(len(batching))),
        lhs_contracting_dimensions=contracting,
        rhs_contracting_dimensions=tuple(range(len(batching), len(shared))),
        lhs_ragged_dimensions=(ragged,),
        rhs_group_dimensions=(len(shared),) * is_free,
        result=TensorType(expected.shape, I64),
    )
    assert found.tolist() == expected.tolist()


def test_ragged_dot_with_a_slice_for_each_group() -> None:
    """Rows 0 to 1 go with the first slice, rows 2 to 4 with the last; row 5 belongs to none."""
    random = np.random.default_rng(0)
    lhs, rhs = random.normal(size=(6, 4)), random.normal(size=(3, 4, 5))
    found = chlo.ragged_dot(
        lhs,
        rhs,
        np.array([2, 0, 3]),
        lhs_batching_dimensions=(),
        rhs_batching_dimensions=(),
        lhs_contracting_dimensions=(1,),
        rhs_contracting_dimensions=(1,),
        lhs_ragged_dimensions=(0,),
        rhs_group_dimensions=(0,),
        result=TensorType((6, 5), F64),
    )
    expected = np.concatenate([lhs[:2] @ rhs[0], lhs[2:5] @ rhs[2], np.zeros((1, 5))])
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)
