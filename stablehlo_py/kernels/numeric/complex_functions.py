"""Functions of complex numbers: accurate near cancellation, finite where the exact result is finite.

Where a result is infinite or not a number, the parts are those of the textbook formula in real arithmetic,
as in XLA: exp(inf + inf i) is nan + nan i. complex64 is computed in complex128 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from stablehlo_py.kernels.numeric.numerics import make_complex
from stablehlo_py.kernels.registry import Array

_SPLITTER = 2.0**27 + 1  # splits the 53 bits of an f64 into halves whose products are exact
SQUARES = 1e150  # the squares of smaller numbers, and of their halves, do not overflow
RESCALE = 2.0**600  # makes numbers whose squares underflow ones whose squares do neither


def in_complex128(function: Callable[..., Array]) -> Callable[..., Array]:
    """Wrap a function to compute in complex128, at the same speed, and round once."""

    @wraps(function)
    def call(*arrays: Array) -> Array:
        result: Array = function(*[z.astype(np.complex128, copy=False) for z in arrays])
        return result.astype(arrays[0].dtype, copy=False)

    return call


@in_complex128
def exp(z: Array) -> Array:
    """Return `exp(x) (cos y + i sin y)`; the imaginary part is 0 where `y` is 0."""
    x, y = z.real, z.imag
    return make_complex(_scaled(np.cos(y), x), np.where(y == 0, y, _scaled(np.sin(y), x)))


def _scaled(factor: Array, x: Array) -> Array:
    """Return `exp(x) * factor`, finite where only `exp(x)` overflows."""
    scale = np.exp(x)
    half = np.exp(x * 0.5)
    return np.where(scale == np.inf, half * factor * half, scale * factor)


@in_complex128
def exp_minus_one(z: Array) -> Array:
    """Return `exp(z) - 1`, accurate near 0: its real part is `expm1(x) cos y - 2 sin(y / 2)^2`."""
    x, y = z.real, z.imag
    near = np.expm1(x) * np.cos(y) - 2 * np.square(np.sin(y * 0.5))
    real = np.where(np.abs(x) < 1, near, _scaled(np.cos(y), x) - 1)
    return make_complex(np.where(y == 0, np.expm1(x), real), np.where(y == 0, y, _scaled(np.sin(y), x)))


@in_complex128
def log_plus_one(z: Array) -> Array:
    """Return `log(1 + z)`: `log((1 + x)^2 + y^2) / 2` and the angle of `(1 + x, y)`.

    `2 x + x^2 + y^2` is summed with the rounding errors of its squares and sums, since it cancels where
    `1 + z` is near the unit circle. Near -1, where it does not, the squares are taken of `1 + x`; where they
    overflow, 1 does not count.
    """
    x, y = z.real, z.imag
    low, high = np.minimum(np.abs(x), np.abs(y)), np.maximum(np.abs(x), np.abs(y))
    ratio = np.where(low == high, 1.0, low / high)
    far = np.log(high) + 0.5 * np.log1p(ratio * ratio)
    near_pole = 0.5 * np.log(np.square(x + 1) + np.square(y))
    near_circle = 0.5 * np.log1p(
        compensated_sum([x + x, *_exact_square(y), *_exact_square(x)], np.zeros_like(x))
    )
    inside = np.where(np.abs(x + 1) + np.abs(y) < 0.2, near_pole, near_circle)
    return make_complex(np.where(high > SQUARES, far, inside), np.arctan2(y, x + 1))


def _exact_square(x: Array) -> tuple[Array, Array]:
    """Return the square of f64 numbers and its rounding error (Dekker's product)."""
    large = x * _SPLITTER
    upper = large - (large - x)
    lower = x - upper
    square = x * x
    return square, lower * lower - ((square - upper * upper) - 2 * (upper * lower))


def compensated_sum(terms: Sequence[Any], zero: Any) -> Any:
    """Return the sum of terms, with the rounding error of each addition added at the end (2Sum).

    Args:
        terms: Arrays, or values of compiled code.
        zero: A zero of their shape.
    """
    total, error = terms[0], zero
    for term in terms[1:]:
        found = total + term
        part = found - total
        error = error + ((total - (found - part)) + (term - part))
        total = found
    return total + error


@in_complex128
def square(z: Array) -> Array:
    """Return `z^2`: its real part is `(x - y) (x + y)`, which overflows only where `x^2 - y^2` does."""
    x, y = z.real, z.imag
    balanced = np.isfinite(x) & (np.abs(x) == np.abs(y))
    return make_complex(np.where(balanced, 0.0, (x - y) * (x + y)), 2 * (x * y))


def divide(x: Array, y: Array) -> Array:
    """Return `x / y`; where that is not finite, infinities and zeros are those of C's Annex G (G.5.1)."""
    found: Array = np.divide(x, y)
    if np.isfinite(found).all():
        return found
    a, b, c, d = x.real, x.imag, y.real, y.imag
    top = (np.isinf(a) | np.isinf(b)) & np.isfinite(y)
    bottom = (np.isinf(c) | np.isinf(d)) & np.isfinite(x)
    a, b = np.where(top, _direction(a), a), np.where(top, _direction(b), b)
    c, d = np.where(bottom, _direction(c), c), np.where(bottom, _direction(d), d)
    scale = np.where(top, a.dtype.type(np.inf), a.dtype.type(0))
    limit = make_complex(scale * (a * c + b * d), scale * (b * c - a * d))
    undecided = np.isnan(found.real) & np.isnan(found.imag) & (top | bottom)
    by_zero = make_complex(x.real / y.real, x.imag / y.real)
    return np.where(y == 0, by_zero, np.where(undecided, limit, found))


def _direction(x: Array) -> Array:
    """Return 1 for infinities and 0 for other numbers, of their signs."""
    found: Array = np.copysign(np.isinf(x).astype(x.dtype), x)
    return found


@in_complex128
def reciprocal_root(z: Array) -> Array:
    """Return `1 / sqrt(z)`, zero for infinite `z`."""
    return _reciprocal(np.sqrt(z))


def _reciprocal(z: Array) -> Array:
    """Return `1 / z`; zeros with the signs of the conjugate where a part of `z` is infinite, of NaN +0."""
    infinite = np.isinf(z.real) | np.isinf(z.imag)
    zero = make_complex(_zero_like(z.real), _zero_like(-z.imag))
    return np.where(infinite, zero, 1 / z)


def _zero_like(x: Array) -> Array:
    """Return zeros of the signs of numbers, +0 for NaN."""
    return np.copysign(0.0, np.where(np.isnan(x), 0.0, x))


@in_complex128
def logistic(z: Array) -> Array:
    """Return `1 / (1 + exp(-z))`."""
    return _reciprocal(1 + exp(-z))


@in_complex128
def atan2(y: Array, x: Array) -> Array:
    """Return `-i log((x + i y) / sqrt(x^2 + y^2))`, of numbers whose squares neither overflow nor underflow.

    The parts of `x^2 + y^2` are rounded one by one: near a pole, where it cancels, each engine has the same.
    """
    y, x = np.broadcast_arrays(y, x)
    size = np.maximum.reduce([np.abs(part) for z in (x, y) for part in (z.real, z.imag)])
    far = np.where((size > SQUARES) & (size < np.inf), 1 / RESCALE, 1.0)
    scale = np.where((size < 1 / SQUARES) & (size > 0), RESCALE, far)
    x, y = (make_complex(z.real * scale, z.imag * scale) for z in (x, y))
    a, b, c, d = x.real, x.imag, y.real, y.imag
    squares = make_complex((a * a - b * b) + (c * c - d * d), 2 * (a * b) + 2 * (c * d))
    result: Array = -1j * np.log((x + 1j * y) / np.sqrt(squares))
    return result


@in_complex128
def cube_root(z: Array) -> Array:
    """Return the principal cube root."""
    return np.where(z == 0, z, np.exp(np.log(z) / 3))


@in_complex128
def power(base: Array, exponent: Array) -> Array:
    """Return the principal power; powers of 0 are 0, or 1 where the exponent is 0."""
    return np.where(exponent == 0, base.dtype.type(1), np.power(base, exponent))
