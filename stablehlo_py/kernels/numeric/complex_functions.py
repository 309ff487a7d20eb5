"""Functions of complex numbers, by `complex_formulas.py`: complex64 is computed in complex128 and rounded."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import SimpleNamespace
from typing import Any

import numpy as np

from stablehlo_py.kernels.numeric import complex_formulas as formulas
from stablehlo_py.kernels.numeric.numerics import make_complex
from stablehlo_py.kernels.registry import Array

_SPLITTER = 2.0**27 + 1  # splits the 53 bits of an f64 into halves whose products are exact


def _exact_square(x: Array) -> tuple[Array, Array]:
    """Return the square of f64 numbers and its rounding error (Dekker's product)."""
    large = x * _SPLITTER
    upper = large - (large - x)
    lower = x - upper
    square = x * x
    return square, lower * lower - ((square - upper * upper) - 2 * (upper * lower))


_NUMPY = """
abs arctan2 copysign cos equal exp expm1 isfinite isinf isnan log log1p maximum minimum ones_like sin sqrt
where zeros_like"""
_XP = SimpleNamespace(
    **{name: getattr(np, name) for name in _NUMPY.split()}, complex=make_complex, exact_square=_exact_square
)


def in_complex128(function: Callable[..., Any]) -> Callable[..., Array]:
    """Wrap a function to compute in complex128, at the same speed, and round once."""

    @wraps(function)
    def call(*arrays: Array) -> Array:
        result: Array = function(*[z.astype(np.complex128, copy=False) for z in arrays])
        return result.astype(arrays[0].dtype, copy=False)

    return call


def _of(formula: Callable[..., Any]) -> Callable[..., Array]:
    """A formula on arrays."""
    return in_complex128(partial(formula, _XP))


exp, exp_minus_one, log_plus_one = _of(formulas.exp), _of(formulas.expm1), _of(formulas.log1p)
square, reciprocal_root, logistic = _of(formulas.square), _of(formulas.rsqrt), _of(formulas.logistic)
atan2, cube_root = _of(formulas.atan2), _of(formulas.cube_root)


def divide(x: Array, y: Array) -> Array:
    """Return `x / y`; where that is not finite, infinities and zeros are those of C's Annex G (G.5.1)."""
    found: Array = np.divide(x, y)
    return found if np.isfinite(found).all() else formulas.quotient(_XP, x, y, found)


@in_complex128
def power(base: Array, exponent: Array) -> Array:
    """Return the principal power; powers of 0 are 0, or 1 where the exponent is 0."""
    found: Array = np.power(base, exponent)
    return found
