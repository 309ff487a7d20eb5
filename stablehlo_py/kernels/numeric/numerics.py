"""Arithmetic on tensor elements: integer wrap-around, division, shifts, rounding, conversion.

Functions take arrays or NumPy scalars, and are independent of ops and axes. Results that the specification
leaves open are those of XLA on CPUs. NumPy's floating-point warnings must be off; the interpreter turns them
off for a run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import (
    ELEMENT_TYPES,
    ElementType,
    element_type_of,
    value_range,
)
from stablehlo_py.ir.types import IntegerType
from stablehlo_py.kernels.registry import Array, DType

Unary = Callable[[Array], Array]
BOOL = np.dtype(np.bool_)
F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)
_HALF = np.dtype(np.float16)
_NARROW_INTEGERS = {  # by name, so that ml_dtypes is imported only for programs that use its types
    row.numpy: np.dtype(np.uint8 if type.signedness == "u" else np.int8)
    for type, row in ELEMENT_TYPES.items()
    if isinstance(type, IntegerType) and type.width in (2, 4)
}


@cache
def dtype_kind(dtype: DType) -> str:
    """Return the class of a type: `b` boolean, `i` signed, `u` unsigned, `f` floating-point, `c` complex."""
    if dtype.name in _NARROW_INTEGERS:
        return _NARROW_INTEGERS[dtype.name].kind
    return dtype.kind if dtype.kind in "biuc" else "f"


@cache
def wide(dtype: DType) -> DType:
    """Return the type that elements are computed in: f32 for narrow floats, 8 bits for i2 and i4."""
    if dtype.name in _NARROW_INTEGERS:
        return _NARROW_INTEGERS[dtype.name]
    return F32 if dtype_kind(dtype) == "f" and dtype not in (F32, F64) else dtype


@cache
def bits(dtype: DType) -> int:
    """Return the number of bits of an integer or floating-point type, such as 4 for i4."""
    return _row(dtype).width


def _row(dtype: DType) -> ElementType:
    row = element_type_of(dtype)
    assert row is not None
    return row


@cache
def has_nan_payloads(dtype: DType) -> bool:
    """Return True if a type has several NaNs of one sign, which are apart in the total order."""
    format = _row(dtype).format
    return format is not None and format.signed and format.nan == "exponent"


@cache
def _has_nan(dtype: DType) -> bool:
    row = element_type_of(dtype)
    return row is None or row.format is None or row.format.nan != "none"


def is_of_numpy(x: Any) -> bool:
    """Return True for NumPy's arrays and scalars; other arrays convert elements as the op `convert` does."""
    return isinstance(x, np.ndarray | np.generic)


def rounded(x: Array, dtype: DType) -> Array:
    """Convert numbers to a type; NaN of either sign is -0 in a type without NaN, as in XLA."""
    if _has_nan(dtype) or dtype_kind(x.dtype) != "f" or not is_of_numpy(x):
        return x.astype(dtype)
    return np.where(np.isnan(x), np.abs(x), x).astype(dtype)


@cache
def unsigned(dtype: DType) -> DType:
    """Return the unsigned integer type of the same storage size."""
    return np.dtype(f"u{dtype.itemsize}")


def part(dtype: DType) -> DType:
    """Return the type of the real part of a complex type."""
    return F32 if dtype == np.complex64 else F64


# Integers


def divide_integers(lhs: Array, rhs: Array) -> Array:
    """Divide, rounding toward zero; division by zero gives -1 (all ones), and MIN / -1 gives MIN."""
    by_zero = rhs == 0
    divisor = np.where(by_zero, lhs.dtype.type(1), rhs)
    quotient = np.floor_divide(lhs, divisor)
    inexact = (quotient * divisor != lhs) & ((lhs < 0) != (divisor < 0))
    result: Array = np.where(by_zero, ~lhs.dtype.type(0), quotient + inexact.astype(lhs.dtype))
    return result


def remainder_integers(lhs: Array, rhs: Array) -> Array:
    """Return the remainder of division toward zero, with the sign of `lhs`; `lhs` for division by zero."""
    by_zero = rhs == 0
    return np.where(by_zero, lhs, np.fmod(lhs, np.where(by_zero, lhs.dtype.type(1), rhs)))


def power_integers(base: Array, exponent: Array) -> Array:
    """Return powers that wrap around; negative exponents give the reciprocal's integer part (0 for 0)."""
    one = base.dtype.type(1)
    if base.dtype.kind == "u":
        return np.power(base, exponent)
    negative = exponent < 0
    flipped = np.where(exponent & one, base, one)
    reciprocal = np.where(np.abs(base) == one, flipped, base.dtype.type(0))
    return np.where(negative, reciprocal, np.power(base, np.where(negative, base.dtype.type(0), exponent)))


def shift_right_logical(lhs: Array, rhs: Array) -> Array:
    """Shift right, filling with zeros; 0 for shifts that are negative or not below the width."""
    view = unsigned(lhs.dtype)
    return np.right_shift(lhs.view(view), rhs.view(view)).view(lhs.dtype)


def shift_right_arithmetic(lhs: Array, rhs: Array) -> Array:
    """Shift right, filling with the highest bit, for unsigned types as well."""
    signed = np.dtype(f"i{lhs.dtype.itemsize}")
    result: Array = np.right_shift(lhs.view(signed), rhs.view(signed)).view(lhs.dtype)
    return result


def population_count(x: Array, width: int) -> Array:
    """Return the number of set bits, in two's complement of `width` bits."""
    mask = unsigned(x.dtype).type((1 << width) - 1)
    count: Array = np.bitwise_count(x.view(unsigned(x.dtype)) & mask).astype(x.dtype)
    return count


def leading_zeros(x: Array, width: int) -> Array:
    """Return the number of zeros above the highest set bit of `width` bits."""
    word = unsigned(x.dtype)
    value = x.view(word) & word.type((1 << width) - 1)
    distance = 1
    while distance < width:  # set all bits below the highest set one
        value |= value >> word.type(distance)
        distance *= 2
    result: Array = (width - np.bitwise_count(value)).astype(x.dtype)
    return result


# Floating point


_EXACT = 2.0**27  # smaller non-integer quotients of two f32 do not round to an integer in f64


def remainder_floats(lhs: Array, rhs: Array) -> Array:
    """Return the exact remainder of division toward zero, with the sign of `lhs`."""
    if lhs.dtype != F32:
        return np.fmod(lhs, rhs)
    x, y = lhs.astype(F64), rhs.astype(F64)
    quotient = np.trunc(x / y)
    rest = x - quotient * y
    result = np.copysign(rest, x).astype(F32)
    far = ~((np.abs(quotient) < _EXACT) & (rest == rest))
    return np.where(far, np.fmod(lhs, rhs), result) if far.any() else result


def sign(x: Array) -> Array:
    """Return -1, 0 or 1; zeros keep their sign, NaN is NaN."""
    return np.where((x == 0) | np.isnan(x), x, np.copysign(x.dtype.type(1), x))


def sign_complex(z: Array) -> Array:
    """Return `z / abs(z)`, part by part; zeros stay, and a part that is NaN makes both NaN."""
    size = np.abs(z)
    unit = make_complex(z.real / size, z.imag / size)
    nan = z.dtype.type(complex(np.nan, np.nan))
    return np.where(z == 0, z, np.where(np.isnan(z), nan, unit)).astype(z.dtype, copy=False)


def round_half_away(x: Array) -> Array:
    """Round to the nearest integer, ties away from zero."""
    whole = np.trunc(x)
    away = np.abs(x - whole) >= 0.5
    return np.where(away, whole + np.copysign(x.dtype.type(1), x), whole)


def logistic(x: Array) -> Array:
    """Return `1 / (1 + exp(-x))`."""
    one = x.dtype.type(1)
    result: Array = np.reciprocal(np.exp(np.negative(x)) + one)
    return result


def reciprocal_root(x: Array) -> Array:
    """Return `1 / sqrt(x)`."""
    result: Array = x.dtype.type(1) / np.sqrt(x)
    return result


def total_order(x: Array) -> Array:
    """Return integers in the order -NaN < -Inf < -1 < -0 < +0 < 1 < Inf < NaN."""
    pattern = x.view(np.dtype(f"i{x.dtype.itemsize}"))
    return np.where(pattern < 0, pattern ^ np.iinfo(pattern.dtype).max, pattern)


def reduce_precision(x: Array, exponent_bits: int, mantissa_bits: int, *, keeps_nan: bool = False) -> Array:
    """Round to a narrower format: to nearest even, overflow to infinity, underflow to 0.

    Args:
        x: f32 or f64 elements.
        exponent_bits: The number of exponent bits of the format.
        mantissa_bits: The number of mantissa bits of the format, without the implicit bit.
        keeps_nan: Whether NaN stays NaN in a format without mantissa bits, which has none; else infinity.
    """
    layout = np.finfo(x.dtype)
    word = unsigned(x.dtype)
    pattern = x.view(word)
    drop = int(layout.nmant) - mantissa_bits
    if drop > 0:
        last = (pattern >> word.type(drop)) & word.type(1)
        pattern = pattern + (word.type((1 << drop - 1) - 1) + last)
        pattern = pattern & word.type(~((1 << drop) - 1) & ((1 << 8 * word.itemsize) - 1))
    rounded = pattern.view(x.dtype)
    if exponent_bits < int(layout.nexp):
        bias = (1 << exponent_bits - 1) - 1
        rounded = _limit_exponent(rounded, bias)
    nan = x if mantissa_bits or keeps_nan else np.copysign(x.dtype.type(np.inf), x)  # no mantissa, no NaN
    return np.where(np.isnan(x), nan, rounded)


def _limit_exponent(x: Array, bias: int) -> Array:
    """Return infinity above the largest exponent and zero below the smallest, with the sign of `x`."""
    exponent = np.frexp(x)[1] - 1
    overflow = np.isfinite(x) & (exponent > bias) & (x != 0)
    underflow = np.isfinite(x) & (exponent < 1 - bias)
    limited = np.where(overflow, np.copysign(x.dtype.type(np.inf), x), x)
    return np.where(underflow, np.copysign(x.dtype.type(0), x), limited)


# Complex


def make_complex(real: Array, imag: Array) -> Array:
    """Return complex numbers from their parts, keeping infinities and signs of zeros."""
    shape = np.broadcast_shapes(np.shape(real), np.shape(imag))
    z = np.empty(shape, np.complex64 if real.dtype == F32 else np.complex128)
    z.real, z.imag = real, imag
    return z


# Conversion between types


def converter(source: DType, target: DType) -> Unary:
    """Return the function that converts elements between types.

    To boolean: True where not zero. From floating point to integer: toward zero, clamped, NaN to 0. Between
    integers: modulo. To floating point: to nearest even. From complex to real: the real part.

    Args:
        source: The type of the elements.
        target: The type to convert to.
    """
    if dtype_kind(source) == "c" and dtype_kind(target) != "c":
        inner = converter(part(source), target)
        return lambda z: inner(z.real)
    if target == BOOL:
        return _to_boolean(source)
    if dtype_kind(source) == "f" and dtype_kind(target) in "iu":
        return _float_to_integer(wide(source), target)
    if wide(source) != source:  # exact; NumPy has no casts between narrow types
        return lambda x: rounded(x.astype(wide(source)), target)
    return lambda x: rounded(x, target)


def _to_boolean(source: DType) -> Unary:
    if dtype_kind(source) == "f" and wide(source) != source:
        return lambda x: x.astype(F32) != 0  # twice as fast as to compare narrow elements
    return lambda x: np.not_equal(x, x.dtype.type(0))


def _float_to_integer(source: DType, target: DType) -> Unary:
    storage = wide(target)
    low, high = map(int, value_range(_row(target).type))
    above = source.type(float(high + 1))

    def convert(x: Array) -> Array:
        y = x.astype(source, copy=False)
        inside = (y > source.type(low - 1 if low else -1)) & (y < above)
        if bool(np.all(inside)):
            return y.astype(storage).astype(target, copy=False)
        clamped = np.where(y >= above, storage.type(high), storage.type(low))
        safe = np.where(inside, y, source.type(0)).astype(storage)
        found = np.where(inside, safe, np.where(np.isnan(y), storage.type(0), clamped))
        return found.astype(target, copy=False)

    return convert


def convert(x: Array, target: DType) -> Array:
    """Convert elements to a type, as `converter`."""
    return converter(x.dtype, target)(x) if is_of_numpy(x) else x.astype(target)


# Bits


def to_bits(x: Array) -> Array:
    """Return the bits of each real element along a new last axis, lowest first, as 0 and 1 in uint8."""
    width = bits(x.dtype)
    octets = np.ascontiguousarray(x).reshape(*x.shape, 1).view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little")[..., :width]


def from_bits(pattern: Array, dtype: DType) -> Array:
    """Return elements of `dtype` from bits along the last axis, which is removed."""
    octets = np.packbits(pattern, axis=-1, bitorder="little")
    missing = dtype.itemsize - octets.shape[-1]
    if missing > 0:
        octets = np.concatenate([octets, np.zeros((*octets.shape[:-1], missing), np.uint8)], axis=-1)
    return sign_extended(np.ascontiguousarray(octets).view(dtype)[..., 0])


def sign_extended(x: Array) -> Array:
    """Sign-extend narrow signed integers to their storage; other elements unchanged."""
    if x.dtype.name not in _NARROW_INTEGERS or dtype_kind(x.dtype) != "i":
        return x
    spare = np.int8(8 - bits(x.dtype))
    return ((x.view(np.int8) << spare) >> spare).astype(x.dtype)


class Narrowed:
    """A function on elements of a narrow type, computed in a wider type and rounded once at the end.

    Args:
        function: A function on arrays of the wider type.
        dtype: The narrow type of the operands and the result; boolean results of predicates are kept.
    """

    __slots__ = ("computed", "dtype", "function")

    def __init__(self, function: Callable[..., Any], dtype: DType) -> None:
        self.function = function
        self.dtype = dtype
        self.computed = wide(dtype)

    def __call__(self, *arrays: Array) -> Array:
        """Call the function on elements of the narrow type."""
        dtype, computed = self.dtype, self.computed
        found: Array = self.function(*[x.astype(computed) if x.dtype == dtype else x for x in arrays])
        return found if found.dtype in (dtype, BOOL) else rounded(found, dtype)


def narrowed(function: Callable[..., Any], dtype: DType) -> Callable[..., Any]:
    """Wrap a function for elements of `dtype`: `Narrowed` for narrow types, unchanged for others.

    Args:
        function: A function on arrays of the type that `dtype` is computed in.
        dtype: The type of the operands and the result.
    """
    return function if wide(dtype) == dtype else Narrowed(function, dtype)
