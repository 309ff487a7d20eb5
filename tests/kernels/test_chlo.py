"""CHLO kernels: special functions against known values, top_k, mulhi, next_after."""

from __future__ import annotations

import math
from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.ir.types import F64, TensorType
from stablehlo_py.kernels import chlo
from stablehlo_py.kernels.numeric import gamma, special


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
