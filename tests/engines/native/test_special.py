"""Special functions of the native engine beside the kernels', which compute in a wider format."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.arithmetic.special_functions import _DIGAMMA, _STIRLING
from tests.helpers.agreement import bound, distance, least_size
from tests.helpers.native import assert_same, compiled

NAMES = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "cosh", "digamma", "erfc", "lgamma",
)  # fmt: skip
TYPES = {"f32": np.float32, "f64": np.float64}
IN_OTHER_WAYS = ("digamma", "erfc", "lgamma")  # f64 is not computed in a wider format, as in the kernels
ULPS = 2


def inputs(dtype: Any) -> np.ndarray:
    """Numbers of all sizes, integers and their neighbours, and special values."""
    rng, info = np.random.default_rng(8), np.finfo(dtype)
    whole = np.arange(-20, 20).astype(dtype)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, info.max, -info.max, info.tiny, -info.tiny, 1.4616321]
    parts = [
        special,
        whole,
        np.nextafter(whole, dtype(100)),
        np.nextafter(whole, dtype(-100)),
        rng.uniform(-1, 1, 2000),
        rng.uniform(-30, 30, 2000),
        rng.standard_normal(1000) * 10.0 ** rng.integers(-30, 30, 1000),
    ]
    return np.concatenate([np.asarray(part).astype(dtype) for part in parts])


def native(text: str, *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The results of the native and of the NumPy engine; all of the program is one region."""
    return compiled(text)(*arrays)[0], shlo.run(shlo.parse(text), arrays, engine="numpy")[0]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_functions(name: str, type: str) -> None:
    x = inputs(TYPES[type])
    shape = f"tensor<{x.size}x{type}>"
    text = f"""func.func @main(%x: {shape}) -> {shape} {{
      %0 = stablehlo.negate %x : {shape}
      %1 = stablehlo.negate %0 : {shape}
      %2 = chlo.{name} %1 : {shape} -> {shape}
      return %2 : {shape}
    }}"""
    found, expected = native(text, x)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    if name in IN_OTHER_WAYS and type == "f64":
        op = f"chlo.{name}"
        assert distance(found, expected, least_size(op, [expected])) <= bound(op, (type,))
    else:
        known = ~np.isnan(expected)
        np.testing.assert_array_max_ulp(found[known], expected[known], ULPS)


@pytest.mark.parametrize("type", TYPES)
def test_next_after(type: str) -> None:
    x = inputs(TYPES[type])
    y = np.random.default_rng(1).permutation(x)
    y[::7] = x[::7]
    info = np.finfo(TYPES[type])
    ends = [0.0, -0.0, info.smallest_subnormal, -info.smallest_subnormal, info.tiny, -info.tiny, 1.0, -1.0]
    ends += [info.max, -info.max, np.inf, -np.inf, np.nan]
    pairs = np.array([(one, other) for one in ends for other in ends], x.dtype)
    x, y = np.concatenate([x, pairs[:, 0]]), np.concatenate([y, pairs[:, 1]])
    shape = f"tensor<{x.size}x{type}>"
    text = f"""func.func @main(%x: {shape}, %y: {shape}) -> {shape} {{
      %0 = stablehlo.negate %x : {shape}
      %1 = stablehlo.negate %0 : {shape}
      %2 = chlo.next_after %1, %y : {shape}, {shape} -> {shape}
      return %2 : {shape}
    }}"""
    (found,) = assert_same(text, x, y, ulps=0)
    with np.errstate(all="ignore"):
        wanted = np.nextafter(x, y)
    assert ((found == wanted) | np.isnan(wanted)).all() and (np.isnan(found) == np.isnan(wanted)).all()
    assert (np.signbit(found) == np.signbit(wanted))[~np.isnan(wanted)].all()


def test_series_of_the_gamma_function_have_bernoulli_numbers() -> None:
    """Abramowitz and Stegun, 6.1.40 and 6.3.18: B(2k) / (2k (2k - 1)), and -B(2k) / 2k."""
    numbers = [Fraction(1)]
    for n in range(1, 17):
        numbers.append(-sum(comb(n + 1, k) * numbers[k] for k in range(n)) / (n + 1))
    even = [(2 * k, numbers[2 * k]) for k in range(1, 9)]
    assert tuple(float(b / (n * (n - 1))) for n, b in even) == _STIRLING
    assert tuple(float(-b / n) for n, b in even[:7]) == _DIGAMMA
