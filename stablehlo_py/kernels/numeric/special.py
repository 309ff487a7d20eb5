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

I1E_NEAR = (
    2.378099013943385e-18, -2.833029268376589e-17, 2.928607586792402e-16, -3.1723191900389196e-15,
    3.2959485639293954e-14, -3.246220683975711e-13, 3.036144141872017e-12, -2.6900486332132915e-11,
    2.2506963252043658e-10, -1.772235927094453e-09, 1.3083673037726655e-08, -9.017464477391814e-08,
    5.77398705874917e-07, -3.4157614036829096e-06, 1.8549321661285645e-05, -9.177807183422584e-05,
    0.00041008100096856314, -0.0016371790414129058, 0.005764118820641799, -0.017599211811190854,
    0.045518134956718304, -0.0957721966186677, 0.1460262582806171,
)  # fmt: skip
I1E_MIDDLE = (
    5.197508964600823e-26, -7.4521285660154975e-25, 8.143396327326889e-24, -1.071183250472437e-22,
    1.3985108531376217e-21, -1.7137727910130783e-20, 2.015329666067341e-19, -2.2803038645080864e-18,
    2.4751895143288284e-17, -2.573487971610349e-16, 2.559714927619858e-15, -2.432471136654497e-14,
    2.2056633107951256e-13, -1.9061733613492452e-12, 1.5685173942274334e-11,
    -1.2280221782765227e-10, 9.144499664050824e-10, -6.4775309752122165e-09, 4.3678863143112876e-08,
    -2.807615730508518e-07, 1.723568691936108e-06, -1.0125454423535951e-05, 5.6991096722616146e-05,
    -0.00030684384339432704, 0.001566727442747862, -0.007375195290084613, 0.028672910730319367,
)  # fmt: skip
I1E_FAR = (
    5.821679393273399e+18, 8.66681711510311e+16, -1.667593744368608e+17, -2596320657834420.0,
    2238171019068116.5, 38885845696707.03, -19115126120337.855, -418274698304.32404,
    119664389845.4911, 3927584052.8745346, -579647951.6452092, -34365851.72894401,
    1700355.8091966936, 246812.97977883957, 7384.094833090888, -579.0731115016168,
    -100.3759466724738, -11.577447727367897, -1.6779436399217917, -0.3653087379073204,
    -0.12025266919614995, -0.06159788933601801, -0.0561243555415815, -0.15599323509177165,
    0.38939845902587233,
)  # fmt: skip


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
