"""Formulas of complex functions, over an array namespace: NumPy's arrays, or values of compiled code.

A namespace `xp` has NumPy's functions by their names. It also has `complex`, which makes a number of its
parts, and `exact_square`. Numbers are of f64, so that the squares of an f32 neither overflow nor underflow.

Where a result is infinite or not a number, the parts are those of the textbook formula in real arithmetic,
as in XLA: exp(inf + inf i) is nan + nan i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

_SQUARES = 1e150  # the squares of smaller numbers, and of their halves, do not overflow
_RESCALE = 2.0**600  # makes numbers whose squares underflow ones whose squares do neither


def exp(xp: Any, z: Any) -> Any:
    """`exp(x) (cos y + i sin y)`; the imaginary part is 0 where `y` is 0."""
    x, y = z.real, z.imag
    real = _scaled(xp, xp.cos(y), x)
    return xp.complex(real, xp.where(xp.equal(y, 0), y, _scaled(xp, xp.sin(y), x)))


def _scaled(xp: Any, factor: Any, x: Any) -> Any:
    """`exp(x) * factor`, finite where only `exp(x)` overflows."""
    scale, half = xp.exp(x), xp.exp(x * 0.5)
    return xp.where(xp.equal(scale, math.inf), half * factor * half, scale * factor)


def expm1(xp: Any, z: Any) -> Any:
    """`exp(z) - 1`, accurate near 0: its real part is `expm1(x) cos y - 2 sin(y / 2)^2`."""
    x, y = z.real, z.imag
    cosine, sine, half = xp.cos(y), xp.sin(y), xp.sin(y * 0.5)
    small = xp.expm1(x)
    near = small * cosine - half * half * 2
    real = xp.where(xp.abs(x) < 1, near, _scaled(xp, cosine, x) - 1)
    flat = xp.equal(y, 0)
    return xp.complex(xp.where(flat, small, real), xp.where(flat, y, _scaled(xp, sine, x)))


def log1p(xp: Any, z: Any) -> Any:
    """`log(1 + z)`: `log((1 + x)^2 + y^2) / 2` and the angle of `(1 + x, y)`.

    `2 x + x^2 + y^2` is summed with the rounding errors of its squares and sums, since it cancels where
    `1 + z` is near the unit circle. Near -1, where it does not, the squares are taken of `1 + x`; where they
    overflow, 1 does not count.
    """
    x, y = z.real, z.imag
    a, b = xp.abs(x), xp.abs(y)
    low, high = xp.minimum(a, b), xp.maximum(a, b)
    ratio = xp.where(xp.equal(low, high), 1.0, low / high)
    far = xp.log(high) + xp.log1p(ratio * ratio) * 0.5
    shifted = x + 1
    near_pole = xp.log(shifted * shifted + y * y) * 0.5
    terms = [x + x, *xp.exact_square(y), *xp.exact_square(x)]
    near_circle = xp.log1p(_compensated_sum(terms, xp.zeros_like(x))) * 0.5
    inside = xp.where(xp.abs(shifted) + b < 0.2, near_pole, near_circle)
    return xp.complex(xp.where(high > _SQUARES, far, inside), xp.arctan2(y, shifted))


def _compensated_sum(terms: Sequence[Any], zero: Any) -> Any:
    """The sum of terms, with the rounding error of each addition added at the end (2Sum)."""
    total, error = terms[0], zero
    for term in terms[1:]:
        found = total + term
        part = found - total
        error = error + ((total - (found - part)) + (term - part))
        total = found
    return total + error


def square(xp: Any, z: Any) -> Any:
    """`z^2`; its real part `(x - y) (x + y)` overflows only where `x^2 - y^2` does."""
    x, y = z.real, z.imag
    balanced = xp.equal(xp.abs(x), xp.abs(y)) & xp.isfinite(x)
    return xp.complex(xp.where(balanced, 0.0, (x - y) * (x + y)), x * y * 2)


def quotient(xp: Any, x: Any, y: Any, found: Any) -> Any:
    """`x / y`; where both parts are NaN, infinities and zeros are those of C's Annex G (G.5.1).

    Args:
        xp: The namespace.
        x: The dividend.
        y: The divisor.
        found: The quotient, where it is a number.
    """
    a, b, c, d = x.real, x.imag, y.real, y.imag
    top = _is_infinite(xp, x) & xp.isfinite(c) & xp.isfinite(d)
    bottom = _is_infinite(xp, y)  # where `x` is not finite either, the limit is NaN
    p, q = (xp.where(top, _direction(xp, part), part) for part in (a, b))
    r, s = (xp.where(bottom, _direction(xp, part), part) for part in (c, d))
    scale = xp.where(top, math.inf, xp.zeros_like(a))
    limit = xp.complex((p * r + q * s) * scale, (q * r - p * s) * scale)
    undecided = xp.isnan(found.real) & xp.isnan(found.imag) & (top | bottom)
    by_zero = xp.equal(c, 0) & xp.equal(d, 0)
    return xp.where(by_zero, xp.complex(a / c, b / c), xp.where(undecided, limit, found))


def _is_infinite(xp: Any, z: Any) -> Any:
    return xp.isinf(z.real) | xp.isinf(z.imag)


def _direction(xp: Any, x: Any) -> Any:
    """1 for infinities and 0 for other numbers, of their signs."""
    zero = xp.zeros_like(x)
    return xp.copysign(xp.where(xp.isinf(x), xp.ones_like(x), zero), x)


def reciprocal(xp: Any, z: Any) -> Any:
    """`1 / z`; zeros with the signs of the conjugate where a part of `z` is infinite, of NaN +0."""
    small = xp.complex(_zero_of_sign(xp, z.real), _zero_of_sign(xp, -z.imag))
    return xp.where(_is_infinite(xp, z), small, 1 / z)


def _zero_of_sign(xp: Any, x: Any) -> Any:
    """Zeros of the signs of numbers, +0 of NaN."""
    return xp.where(xp.isnan(x), 0.0, xp.copysign(xp.zeros_like(x), x))


def rsqrt(xp: Any, z: Any) -> Any:
    """`1 / sqrt(z)`, zero for infinite `z`."""
    return reciprocal(xp, xp.sqrt(z))


def logistic(xp: Any, z: Any) -> Any:
    """`1 / (1 + exp(-z))`."""
    return reciprocal(xp, exp(xp, -z) + 1)


def atan2(xp: Any, y: Any, x: Any) -> Any:
    """`-i log((x + i y) / sqrt(x^2 + y^2))`, of numbers whose squares neither overflow nor underflow.

    The parts of `x^2 + y^2` are rounded one by one: near a pole, where it cancels, each engine has the same.
    """
    size = reduce(xp.maximum, [xp.abs(part) for part in (x.real, x.imag, y.real, y.imag)])
    far = xp.where((size > _SQUARES) & (size < math.inf), 1 / _RESCALE, xp.ones_like(size))
    scale = xp.where((size < 1 / _SQUARES) & (size > 0.0), _RESCALE, far)
    x, y = (xp.complex(z.real * scale, z.imag * scale) for z in (x, y))
    a, b, c, d = x.real, x.imag, y.real, y.imag
    squares = xp.complex((a * a - b * b) + (c * c - d * d), a * b * 2 + c * d * 2)
    return -1j * xp.log((x + 1j * y) / xp.sqrt(squares))


def cube_root(xp: Any, z: Any) -> Any:
    """The principal cube root."""
    found = xp.exp(xp.log(z) / 3)
    return xp.where(xp.equal(z, 0), z, found)
