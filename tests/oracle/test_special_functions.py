"""Special functions of CHLO against mpmath: within 2 ULP where they are defined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from stablehlo_py.kernels.numeric import gamma, special

mp = pytest.importorskip("mpmath")
if np.finfo(np.longdouble).nmant <= np.finfo(np.float64).nmant:
    pytest.skip("long double is no wider than f64 here", allow_module_level=True)

Spans = tuple[tuple[float, float], ...]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Floating-point warnings off, as in a run."""
    with np.errstate(all="ignore"):
        yield


def points(*spans: tuple[float, float]) -> np.ndarray:
    """Numbers in spans, and ever nearer to the beginning of each."""
    random = np.random.default_rng(0)
    parts = [low + (high - low) * random.uniform(0, 1, 60) for low, high in spans]
    parts += [low + (high - low) * 2.0 ** -np.arange(1, 40) for low, high in spans]
    return np.unique(np.concatenate(parts))


def bessel_i1e(x: Any) -> Any:
    return mp.besseli(1, x) * mp.exp(-abs(x))


def lgamma(x: Any) -> Any:
    return mp.log(abs(mp.gamma(x)))


CASES: dict[str, tuple[Callable[..., Any], Callable[[Any], Any], Spans]] = {
    "lgamma": (
        gamma.lgamma,
        lgamma,
        ((1, 1.5), (1, 0.5), (2, 3), (2, 1.5), (0, 1), (3, 8), (8, 100), (-0.4, 0)),
    ),
    "digamma": (
        gamma.digamma,
        mp.digamma,
        ((1.4616321449683622, 1.7), (1, 2), (0, 1), (2, 50), (-0.4, -0.1)),
    ),
    "erf": (special.erf, mp.erf, ((0, 1), (1, 6), (-3, 0))),
    "erfc": (special.erfc, mp.erfc, ((0, 1), (1, 26), (-3, 0))),
    "erf_inv": (special.erf_inv, mp.erfinv, ((0, 1), (1, 0.5), (-1, 0))),
    "bessel_i1e": (special.bessel_i1e, bessel_i1e, ((0, 3), (3, 8), (8, 1000), (-8, 0))),
}


def distance(found: np.ndarray, expected: list[Any]) -> float:
    """The greatest distance from exact values, in units of the last place."""
    with mp.workdps(60):
        exact = np.array([found.dtype.type(value) for value in expected])
        return float(np.max(np.abs(found - exact) / np.spacing(np.abs(exact))))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CASES)
def test_one_argument(name: str, dtype: type) -> None:
    function, exact, spans = CASES[name]
    x = np.unique(points(*spans).astype(dtype))
    x = x[(x != 0) & ((name != "erf_inv") | (np.abs(x) != 1)) & ((name != "lgamma") | ((x != 1) & (x != 2)))]
    with mp.workdps(60):
        expected = [exact(mp.mpf(float(value))) for value in x]
    assert distance(function(x), expected) <= 2


@pytest.mark.parametrize("q", [0.25, 1.0, 7.5, 30.0])
def test_zeta(q: float) -> None:
    x = points((1, 2), (2, 20))
    with mp.workdps(100):
        expected = [mp.zeta(mp.mpf(float(value)), mp.mpf(q)) for value in x]
    assert distance(gamma.zeta(x, np.full_like(x, q)), expected) <= 2


@pytest.mark.parametrize("order", [2, 3, 6, 9])
def test_zeta_of_negative_numbers(order: int) -> None:
    """By its definition: the terms up to the first that is positive, and the rest."""
    q = np.concatenate([-points((0, 1), (1, 12), (90, 100)), -0.5 - np.arange(20)])
    q = q[q != np.floor(q)]
    with mp.workdps(100):
        exact = [mp.mpf(float(value)) for value in q]
        sums = [mp.fsum((x + k) ** -order for k in range(int(-mp.floor(x)))) for x in exact]
        rest = [mp.zeta(order, x - mp.floor(x)) for x in exact]
    found = gamma.zeta(np.full_like(q, order), q)
    assert distance(found, [a + b for a, b in zip(sums, rest, strict=True)]) <= 2


@pytest.mark.parametrize("order", [0, 1, 2, 5, 10])
def test_polygamma(order: int) -> None:
    x = points((0.1, 2), (2, 40))
    with mp.workdps(100):
        expected = [mp.polygamma(order, mp.mpf(float(value))) for value in x]
    assert distance(gamma.polygamma(np.full_like(x, order), x), expected) <= 2


def test_special_values() -> None:
    assert gamma.lgamma(np.array([1.0, 2.0, 0.0, -1.0, np.inf, -np.inf])).tolist() == [0, 0] + [np.inf] * 4
    assert np.isnan(gamma.digamma(np.array([0.0, -1.0, np.nan, -np.inf]))).all()
    assert special.erf_inv(np.array([1.0, -1.0, 0.0])).tolist() == [np.inf, -np.inf, 0]
    assert np.isnan(special.erf_inv(np.array([1.5, -2.0, np.nan]))).all()
    assert special.bessel_i1e(np.array([np.inf, -np.inf])).tolist() == [0, 0]
    assert np.signbit(special.erf_inv(np.array([-0.0]))).all()
