"""Special functions of real numbers, by series and rational approximations.

Functions take an array of f32 or f64 and return one of the same type. They compute in f64 and NumPy's long
double, so that rounding is nearly always exact; where long double is not wider, the last digit may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps

import numpy as np

from stablehlo_py.kernels.numeric.coefficients import (
    ERF_INV_FAR,
    ERF_INV_MIDDLE,
    ERF_INV_NEAR,
    ERF_T,
    ERF_U,
    ERFC_P,
    ERFC_Q,
    ERFC_R,
    ERFC_S,
    I1E_FAR,
    I1E_MIDDLE,
    I1E_NEAR,
)
from stablehlo_py.kernels.registry import Array

Coefficients = Sequence[float]

WIDER = {np.dtype(np.float32): np.float64, np.dtype(np.float64): np.longdouble}
_BLOCK = 1 << 15  # elements per step, so that intermediates stay in cache


def in_wider(function: Callable[..., Array]) -> Callable[..., Array]:
    """Wrap a function that computes on vectors of the next wider format, for arrays of f32 or f64."""

    @wraps(function)
    def call(*arrays: Array) -> Array:
        given = arrays[0].dtype
        spread = np.broadcast_arrays(*arrays)
        result = np.empty(spread[0].shape, given)
        inputs, output = [x.reshape(-1) for x in spread], result.reshape(-1)
        for at in range(0, result.size, _BLOCK):
            block = slice(at, at + _BLOCK)
            output[block] = function(*[x[block].astype(WIDER[given]) for x in inputs])
        return result

    return call


def piecewise(pieces: Iterable[tuple[Array, Callable[..., Array]]], *arrays: Array) -> Array:
    """Apply a function to the elements of each mask; NaN where no mask holds.

    Args:
        pieces: Boolean masks, each with a function of the masked elements.
        arrays: The arguments, of one shape.

    Returns:
        An array of the same shape.
    """
    result = np.full_like(arrays[0], np.nan)
    for where, function in pieces:
        places = np.flatnonzero(where)
        if len(places) == where.size:
            return function(*arrays)
        if len(places):
            result[places] = function(*[x[places] for x in arrays])
    return result


def polynomial(x: Array, coefficients: Coefficients) -> Array:
    """Evaluate a polynomial by Horner's scheme, with the highest coefficient first."""
    result = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result *= x
        result += coefficient
    return result


# The error function (S. L. Moshier, Cephes: rational approximations on [0, 1], [1, 8] and above)


@in_wider
def erf(x: Array) -> Array:
    """Return the error function."""
    near = np.abs(x) <= 1
    return piecewise([(near, _erf_near), (~near, _erf_far)], x)


def _erf_near(x: Array) -> Array:
    square = x * x
    return x * polynomial(square, ERF_T) / polynomial(square, ERF_U)


def _erf_far(x: Array) -> Array:
    found: Array = np.copysign(1 - _erfc_far(np.abs(x)), x)
    return found


@in_wider
def erfc(x: Array) -> Array:
    """Return `1 - erf(x)`, without cancellation."""
    return _erfc(x)


def _erfc(x: Array) -> Array:
    near = np.abs(x) <= 1
    return piecewise(
        [(near, lambda x: 1 - _erf_near(x)), (x > 1, _erfc_far), (x < -1, lambda x: 2 - _erfc_far(-x))], x
    )


def _erfc_far(x: Array) -> Array:
    """Return erfc of numbers >= 1."""
    safe = np.minimum(x, 30)
    return _exp_minus_square(safe) * piecewise([(safe < 8, _scaled_middle), (safe >= 8, _scaled_high)], safe)


def _scaled_middle(x: Array) -> Array:
    return polynomial(x, ERFC_P) / polynomial(x, ERFC_Q)


def _scaled_high(x: Array) -> Array:
    return polynomial(x, ERFC_R) / polynomial(x, ERFC_S)


def _exp_minus_square(x: Array) -> Array:
    """Return `exp(-x*x)`, with the square split in two parts so that its rounding error does not grow."""
    head = x if x.dtype == np.float64 else np.round(x * 256) / 256  # squares of f32 numbers are exact
    found: Array = np.exp(-head * head)
    return found if head is x else found * np.exp(-(x - head) * (x + head))


# The inverse of the error function (M. Giles, Approximating the erfinv function)


@in_wider
def erf_inv(x: Array) -> Array:
    """Return the inverse of the error function; infinite at -1 and 1."""
    size = np.abs(x)
    found = size * _inverse(-np.log((1 - size) * (1 + size)))
    if x.dtype != np.float64:
        found = _corrected(found, size)
    return np.copysign(np.where(size == 1, np.inf, found), x)


def _inverse(w: Array) -> Array:
    return piecewise(
        [
            (w < 6.25, lambda w: polynomial(w - 3.125, ERF_INV_NEAR)),
            ((w >= 6.25) & (w < 16), lambda w: polynomial(np.sqrt(w) - 3.25, ERF_INV_MIDDLE)),
            (w >= 16, lambda w: polynomial(np.sqrt(w) - 5, ERF_INV_FAR)),
        ],
        w,
    )


def _corrected(first: Array, size: Array) -> Array:
    """Apply a step of Newton's method to an approximation with the precision of f64."""
    error = piecewise(
        [
            (size < 0.5, lambda first, size: _erf_near(first) - size),
            (size >= 0.5, lambda first, size: (1 - size) - _erfc(first)),
        ],
        first,
        size,
    )
    half_root_pi = np.sqrt(4 * np.arctan(np.ones((), size.dtype))) / 2
    better: Array = first - error * np.exp(first * first) * half_root_pi
    return better


# The modified Bessel function of order 1 (Chebyshev expansions, as polynomials about the middle of intervals)


@in_wider
def bessel_i1e(x: Array) -> Array:
    """Return `exp(-abs(x))` times the modified Bessel function of the first kind of order 1."""
    size = np.abs(x)
    found = piecewise(
        [
            (size <= 3, lambda x: x * polynomial(x - 1.5, I1E_NEAR)),
            ((size > 3) & (size <= 8), lambda x: x * polynomial(x - 5.5, I1E_MIDDLE)),
            (size > 8, lambda x: polynomial(1 / x - 0.0625, I1E_FAR) / np.sqrt(x)),
        ],
        size,
    )
    return np.copysign(found, x)
