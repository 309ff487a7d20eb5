"""Functions of complex numbers at special values: expectations by hand and by mpmath."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterator
from math import cos, inf, nan, pi, sin

import numpy as np
import pytest

from stablehlo_py.kernels.numeric import complex_functions as c
from stablehlo_py.kernels.numeric.ufuncs import COMPLEX_PRODUCT
from stablehlo_py.kernels.registry import find_kernel
from stablehlo_py.kernels.window import _Combine

LARGEST = {np.complex64: float(np.finfo(np.float32).max), np.complex128: float(np.finfo(np.float64).max)}
SINGLE, DOUBLE = np.complex64, np.complex128


@pytest.fixture(autouse=True)
def as_in_a_run() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def check(found: np.ndarray, expected: list[tuple[float, float]], ulp: int = 2) -> None:
    parts = np.stack([found.real, found.imag], -1)
    wanted = np.array(expected, parts.dtype)
    np.testing.assert_array_max_ulp(parts, wanted, ulp)


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
def test_exponential(dtype: type) -> None:
    """exp(x) cos y and exp(x) sin y, where the exponential alone may overflow."""
    top = float(np.log(LARGEST[dtype]))
    given = [
        (inf, 0.0),
        (-inf, 1.0),
        (-inf, inf),
        (inf, inf),
        (inf, 1.0),
        (nan, 0.0),
        (nan, 1.0),
        (0.0, nan),
        (0.0, inf),
    ]
    expected = [
        (inf, 0.0),
        (0.0, 0.0),
        (nan, nan),
        (nan, nan),
        (inf, inf),
        (nan, 0.0),
        (nan, nan),
        (nan, nan),
        (nan, nan),
    ]
    z = np.array([complex(*each) for each in given], dtype)
    check(c.exp(z), expected)
    near = dtype(complex(top + 0.5, pi / 4))  # exp(x) is 1.65 times the largest number, its parts 1.17 times
    assert np.isinf(c.exp(np.array([near]))[0].real)
    fits = c.exp(np.array([complex(top + 0.25, pi / 4)], dtype))[0]  # 1.28 cos(pi / 4) is 0.908
    assert fits.real / LARGEST[dtype] == pytest.approx(np.exp(0.25) * cos(pi / 4), rel=1e-3)
    assert fits.imag / LARGEST[dtype] == pytest.approx(np.exp(0.25) * sin(pi / 4), rel=1e-3)


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
def test_log_plus_one(dtype: type) -> None:
    given = [
        (inf, nan),
        (nan, inf),
        (inf, inf),
        (-inf, inf),
        (-1.0, 0.0),
        (0.0, 0.0),
        (inf, 1.0),
        (-inf, 1.0),
    ]
    expected = [
        (nan, nan),
        (nan, nan),
        (inf, pi / 4),
        (inf, 3 * pi / 4),
        (-inf, 0.0),
        (0.0, 0.0),
        (inf, 0.0),
        (inf, pi),
    ]
    check(c.log_plus_one(np.array([complex(*each) for each in given], dtype)), expected)
    large = np.array([complex(LARGEST[dtype], LARGEST[dtype])], dtype)
    check(c.log_plus_one(large), [(float(np.log(LARGEST[dtype])) + np.log(2) / 2, pi / 4)])


def test_log_plus_one_near_the_unit_circle() -> None:
    """1 + z has absolute value 1 + 4e-13 (mpmath, 60 digits)."""
    mp = pytest.importorskip("mpmath")
    given = [complex(-0.02, 0.198997487421324), complex(-0.5, 0.866025403784439), complex(-2 + 1e-9, 1e-6)]
    found = c.log_plus_one(np.array(given))
    with mp.workdps(60):
        expected = [mp.log(1 + mp.mpc(z)) for z in given]
    for one, exact in zip(found, expected, strict=True):
        assert abs(one.real - float(exact.real)) <= 4e-16 * abs(float(exact.real))
        assert one.imag == pytest.approx(float(exact.imag), rel=4e-16)


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
def test_square(dtype: type) -> None:
    most = LARGEST[dtype]
    given = [(most, most), (most, -most), (inf, 1.0), (inf, inf), (nan, 1.0), (3.0, 4.0), (0.0, inf)]
    expected = [(0.0, inf), (0.0, -inf), (inf, inf), (nan, inf), (nan, nan), (-7.0, 24.0), (-inf, nan)]
    check(c.square(np.array([complex(*each) for each in given], dtype)), expected)


def test_exponential_minus_one() -> None:
    given = [complex(inf, 0), complex(1e-20, 1e-20), complex(-inf, 2.0), complex(0.0, 0.0)]
    check(c.exp_minus_one(np.array(given)), [(inf, 0.0), (1e-20, 1e-20), (-1.0, 0.0), (0.0, 0.0)])


def test_infinite_arguments_of_reciprocals() -> None:
    check(c.reciprocal_root(np.array([complex(0, inf), complex(inf, 0)])), [(0.0, -0.0), (0.0, -0.0)])
    check(c.logistic(np.array([complex(-1000, 1), complex(1000, 1)])), [(0.0, 0.0), (1.0, 0.0)])


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
def test_products_that_may_overflow(dtype: type) -> None:
    """`a c - b d` and `a d + b c`, each product by itself: infinite where one overflows; also in place."""
    large = LARGEST[dtype]
    x = np.array([complex(large, 1), complex(2, 3), complex(large, large)], dtype)
    y = np.array([complex(2, 0), complex(5, 7), complex(1, 1)], dtype)
    expected = [(inf, 2.0), (-11.0, 29.0), (0.0, inf)]
    check(COMPLEX_PRODUCT(x, y), expected, 0)
    out = x.copy()
    assert COMPLEX_PRODUCT(out, y, out=out) is out
    check(out, expected, 0)
    small = np.array([complex(2, 3)], dtype)
    assert COMPLEX_PRODUCT(small, np.array([complex(5, 7)], dtype), out=small) is small
    check(small, [(-11.0, 29.0)], 0)


FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    **{f"chlo.{name}": getattr(cmath, name) for name in ("acos", "acosh", "asin", "asinh", "atan", "atanh")},
    **{f"chlo.{name}": getattr(cmath, name) for name in ("cosh", "sinh", "tan")},
    **{f"stablehlo.{name}": getattr(cmath, name) for name in ("log", "sqrt", "tan", "tanh")},
    "chlo.conj": lambda z: complex(z.real, -z.imag),
    "chlo.square": lambda z: z * z,
    "stablehlo.abs": abs,
    "stablehlo.cbrt": lambda z: cmath.exp(cmath.log(z) / 3),
    "stablehlo.cosine": cmath.cos,
    "stablehlo.exponential": cmath.exp,
    "stablehlo.exponential_minus_one": lambda z: cmath.exp(z) - 1,
    "stablehlo.imag": lambda z: z.imag,
    "stablehlo.log_plus_one": lambda z: cmath.log(1 + z),
    "stablehlo.logistic": lambda z: 1 / (1 + cmath.exp(-z)),
    "stablehlo.negate": lambda z: -z,
    "stablehlo.real": lambda z: z.real,
    "stablehlo.rsqrt": lambda z: 1 / cmath.sqrt(z),
    "stablehlo.sign": lambda z: z / abs(z),
    "stablehlo.sine": cmath.sin,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
def test_functions_of_ordinary_numbers(name: str, dtype: type) -> None:
    numbers = [complex(0.5, 0.25), complex(-0.75, 0.5), complex(0.25, -1.5)]
    kernel = find_kernel(name)
    assert kernel is not None
    found = kernel.call(np.dtype(dtype))(np.array(numbers, dtype))
    np.testing.assert_allclose(found, [FUNCTIONS[name](z) for z in numbers], rtol=16 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_a_product_over_a_window_is_rounded_once(dtype: type) -> None:
    """By hand: (1 + 2**-12)**2 - 1; a product that is rounded to f32 before the subtraction is 2**-11."""
    z = np.array([complex(1 + 2**-12, 1)], dtype)
    one = np.array([1], dtype)
    combine = _Combine(lambda *_: (), COMPLEX_PRODUCT, np.dtype(dtype))
    (found,) = combine.fold(iter([(one,), (z,), (z,)]))
    assert found.real.tolist() == [2**-11 + 2**-24] and found.imag.tolist() == [2 + 2**-11]
