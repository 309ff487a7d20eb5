"""Ufuncs whose results at zeros and infinities depend neither on the processor nor on the order of operands.

NumPy's `minimum` and `maximum` take whichever zero its vector instruction takes, and its products of complex
numbers are fused where the processor fuses. Objects of this module have the methods of a ufunc, and correct
the elements for which that matters; arrays that have none of them take one more pass, which only reads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeGuard

import numpy as np

from stablehlo_py.ir.element_types import element_type_of

if TYPE_CHECKING:
    from stablehlo_py.kernels.registry import Array, DType


class _Zero(NamedTuple):
    """The pattern of a zero.

    Attributes:
        word: A type of integers of the width of the elements.
        pattern: The zero as such an integer.
        least: Whether that is the least of the type.
    """

    word: DType
    pattern: Any
    least: bool


_POSITIVE, _NEGATIVE = 0, 1


@cache
def _zeros(dtype: DType) -> tuple[_Zero, _Zero] | None:
    """Return +0 and -0 of a floating-point type, None if it has not both."""
    row = element_type_of(dtype)
    assert row is not None and row.format is not None
    if not row.format.signed or row.format.nan == "negative zero":
        return None
    unsigned, signed = np.dtype(f"u{dtype.itemsize}"), np.dtype(f"i{dtype.itemsize}")
    negative = np.array(1 << row.width - 1, unsigned).view(signed)[()]
    return (
        _Zero(unsigned, unsigned.type(0), True),
        _Zero(signed, negative, negative == np.iinfo(signed).min),
    )


class RefinedUfunc:
    """A ufunc of two operands with corrected results; its methods are those of the ufunc.

    Args:
        ufunc: NumPy's ufunc.
    """

    nout = 1

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc = ufunc

    def __call__(self, x: Array, y: Array, out: Array | None = None) -> Array:
        """Apply the ufunc to elements; `out` may be an operand."""
        return self.ufunc(x, y, out=out)  # type: ignore[no-any-return]

    def reduce(self, array: Array, axis: Any = 0, dtype: Any = None) -> Array:
        """Combine the elements along axes."""
        return np.asarray(self.ufunc.reduce(array, axis=axis, dtype=dtype))

    def accumulate(self, array: Array, axis: int = 0, dtype: Any = None) -> Array:
        """Combine each element with those before it."""
        return np.asarray(self.ufunc.accumulate(array, axis, dtype))

    def at(self, target: Array, index: Array, updates: Array) -> None:
        """Combine elements of `target` with updates, in place."""
        self.ufunc.at(target, index, updates)


Ufunc: TypeAlias = np.ufunc | RefinedUfunc


def is_ufunc(call: object) -> TypeGuard[Ufunc]:
    """Return True for a ufunc of one result, which takes an output array."""
    return isinstance(call, np.ufunc | RefinedUfunc) and call.nout == 1


class Extremum(RefinedUfunc):
    """The minimum or maximum of floats, where -0 is less than +0 (IEEE 754, 9.6).

    One of the zeros prevails: -0 in a minimum, +0 in a maximum. Only a result that is the other may be wrong.

    Args:
        ufunc: `np.minimum` or `np.maximum`.
    """

    def __init__(self, ufunc: np.ufunc) -> None:
        super().__init__(ufunc)
        self._zero, self._prevailing = (-0.0, _NEGATIVE) if ufunc is np.minimum else (0.0, _POSITIVE)

    def _pair(self, dtype: DType) -> tuple[_Zero, _Zero] | None:
        """Return the zero that prevails and the other one, None if a type has one only."""
        zeros = _zeros(dtype)
        return zeros and (zeros[self._prevailing], zeros[not self._prevailing])

    def __call__(self, x: Array, y: Array, out: Array | None = None) -> Array:
        """Apply the ufunc to elements; `out` may be an operand."""
        few, zeros = x if x.size < y.size else y, self._pair(x.dtype)
        if zeros is None or (few.size == 1 and few.item() != 0):  # a number other than zero
            return self.ufunc(x, y, out=out)  # type: ignore[no-any-return]
        one, other = zeros
        if out is not None and (np.may_share_memory(out, x) or np.may_share_memory(out, y)):
            if (_has(y, one) and _has(x, other)) or (_has(y, other) and _has(x, one)):
                out[...] = self(x, y)
                return out
            return self.ufunc(x, y, out=out)  # type: ignore[no-any-return]
        found = self.ufunc(x, y, out=out)
        if _has(found, other) and (_has(x, one) or _has(y, one)):
            return self._corrected(found, other, _is(x, one) | _is(y, one), out)
        return found  # type: ignore[no-any-return]

    def reduce(self, array: Array, axis: Any = 0, dtype: Any = None) -> Array:
        """Combine the elements along axes."""
        return self._folded(super().reduce(array, axis, dtype), array, np.logical_or.reduce, axis)

    def accumulate(self, array: Array, axis: int = 0, dtype: Any = None) -> Array:
        """Combine each element with those before it."""
        return self._folded(super().accumulate(array, axis, dtype), array, np.logical_or.accumulate, axis)

    def _folded(self, found: Array, array: Array, fold: Callable[..., Any], axis: Any) -> Array:
        """Return results of many elements with the prevailing zero where one of them is it."""
        zeros = self._pair(array.dtype)
        if zeros is None or not (_has(found, zeros[1]) and _has(array, zeros[0])):
            return found
        return self._corrected(found, zeros[1], fold(_is(array, zeros[0]), axis=axis))

    def at(self, target: Array, index: Array, updates: Array) -> None:
        """Combine elements of `target` with updates, in place."""
        zeros = self._pair(target.dtype)
        if zeros is None:
            super().at(target, index, updates)
            return
        prevails = _is(target, zeros[0])
        prevails[index[_is(updates, zeros[0])]] = True
        super().at(target, index, updates)
        self._corrected(target, zeros[1], prevails, target)

    def _corrected(self, found: Array, other: _Zero, prevails: Array, out: Array | None = None) -> Array:
        """Return results with the prevailing zero where an operand is it and the result is the other."""
        result: Array = np.where(prevails & _is(found, other), np.array(self._zero, found.dtype), found)
        if out is None:
            return result
        out[...] = result
        return out


def _is(array: Array, zero: _Zero) -> Array:
    """Return where elements are a zero."""
    return np.asarray(array.view(zero.word) == zero.pattern)


def _has(array: Array, zero: _Zero) -> bool:
    """Test whether an element is a zero."""
    if not zero.least or not array.size:
        return bool(_is(array, zero).any())
    return bool(_least(array.view(zero.word), None) == zero.pattern)


_least = np.minimum.reduce


class ComplexProduct(RefinedUfunc):
    """Products of complex numbers: `a c - b d` and `a d + b c`, without fusion where a product overflows."""

    def __init__(self) -> None:
        super().__init__(np.multiply)

    def __call__(self, x: Array, y: Array, out: Array | None = None) -> Array:
        """Multiply elements; `out` may be an operand."""
        if _norm(x) * _norm(y) < np.finfo(x.dtype).max / 2:
            return self.ufunc(x, y, out=out)  # type: ignore[no-any-return]
        found = np.empty(np.broadcast_shapes(x.shape, y.shape), x.dtype)
        found.real = x.real * y.real - x.imag * y.imag
        found.imag = x.real * y.imag + x.imag * y.real
        if out is None:
            return found
        out[...] = found
        return out


def _norm(x: Array) -> float:
    """Return the square root of the sum of the squares of all parts."""
    return sqrt(np.vdot(x, x).real)


MINIMUM, MAXIMUM = Extremum(np.minimum), Extremum(np.maximum)
COMPLEX_PRODUCT = ComplexProduct()
