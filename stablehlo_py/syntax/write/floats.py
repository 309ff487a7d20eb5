"""Printing of floating-point numbers, digit for digit as MLIR prints them.

MLIR writes six significant digits, padded to seven (`1.000000e-01`), if they read back as the same number;
otherwise as many digits as the type can need, without an exponent for numbers of moderate size
(`0.333333343`); and the bit pattern (`0x4B800000`) where the decimal would be an integer, an infinity or a
NaN.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from stablehlo_py.ir.bit_patterns import normalized, number_of, pattern_of
from stablehlo_py.ir.element_types import ELEMENT_TYPES, FLOATS, numpy_dtype
from stablehlo_py.ir.types import F64, FloatType

if TYPE_CHECKING:
    from stablehlo_py.ir.bit_patterns import Number

_SHORT = 6
_LARGEST_PADDING = 3


@lru_cache(maxsize=8192)
def pattern_text(bits: int, type: FloatType) -> str:
    """Return the text of the number with a bit pattern.

    Args:
        bits: The bit pattern.
        type: The floating-point type.
    """
    if not ELEMENT_TYPES[type].numpy:
        bits = normalized(bits, type)
    value = _number(bits, type)
    if not isinstance(value, float) or math.isfinite(value):
        text = _short(value)
        if _pattern(text, type) == bits:
            return text
        text = _full(value, 2 + FLOATS[type.name].significand * 59 // 196)
        if "." in text:
            return text
    return f"0x{bits:X}"


def float_text(value: float, type: FloatType, bits: int | None = None) -> str:
    """Return the text of a number.

    Args:
        value: The number.
        type: Its type.
        bits: The bit pattern, if `value` does not determine it (NaNs).
    """
    if bits is None:
        if ELEMENT_TYPES[type].numpy:
            dtype = numpy_dtype(type)
            bits = _bits(value, dtype, np.dtype(f"uint{8 * dtype.itemsize}"))
        else:
            bits = pattern_of(value, type)
    return pattern_text(bits, type)


def _number(bits: int, type: FloatType) -> Number:
    if not ELEMENT_TYPES[type].numpy:
        return number_of(bits, type)
    dtype = numpy_dtype(type)
    return float(np.array([bits], np.dtype(f"uint{8 * dtype.itemsize}")).view(dtype)[0])


def _pattern(text: str, type: FloatType) -> int:
    """Return the bit pattern of a decimal."""
    if not ELEMENT_TYPES[type].numpy:
        from fractions import Fraction  # slow to import

        return pattern_of(-0.0 if text.startswith("-0.000000e") else Fraction(text), type)
    dtype = numpy_dtype(type)
    return _bits(float(text), dtype, np.dtype(f"uint{8 * dtype.itemsize}"))


def scale_text(value: float) -> str:
    """Return the text of a quantization scale, which is never a bit pattern."""
    text = float_text(value, F64)
    return repr(value) if text.startswith("0x") else text


def _bits(value: float, dtype: np.dtype[Any], unsigned: np.dtype[Any]) -> int:
    with np.errstate(over="ignore", invalid="ignore"):
        return int(np.array([value], np.float64).astype(dtype).view(unsigned)[0])


def _short(value: Number) -> str:
    if value == 0:
        return f"{'-' if math.copysign(1.0, value) < 0 else ''}0.000000e+00"
    sign = "-" if value < 0 else ""
    digits, exponent = _decimal(-value if value < 0 else value, _SHORT)
    power = exponent + len(digits) - 1
    return f"{sign}{digits[0]}.{digits[1:]:0<{_SHORT}}e{'-' if power < 0 else '+'}{abs(power):02}"


def _full(value: Number, precision: int) -> str:
    sign = "-" if value < 0 else ""
    digits, exponent = _decimal(-value if value < 0 else value, precision)
    power = exponent + len(digits) - 1
    if exponent >= 0 and exponent <= _LARGEST_PADDING and len(digits) + exponent <= precision:
        return sign + digits + "0" * exponent
    if exponent >= 0 or -power > _LARGEST_PADDING:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{'-' if power < 0 else '+'}{abs(power)}"
    whole = digits[: power + 1] if power >= 0 else "0"
    return f"{sign}{whole}.{'0' * (-power - 1)}{digits[max(power + 1, 0) :]}"


def _decimal(value: Number, precision: int) -> tuple[str, int]:
    """Return at most `precision` significant digits of a positive number, and the exponent of the last.

    A long significand is first truncated to about the number of bits that the digits need, so that the last
    digit may be one less than that of the nearest decimal.
    """
    significand, denominator = value.as_integer_ratio()
    exponent = 1 - denominator.bit_length()
    significand *= 5**-exponent
    needed = (precision * 196 + 58) // 59
    cut = max(significand.bit_length() - needed, 0) * 59 // 196
    digits, exponent = _without_zeros(str(significand // 10**cut), exponent + cut)
    if len(digits) <= precision:
        return digits, exponent
    exponent += len(digits) - precision
    rounded = int(digits[:precision]) + (digits[precision] >= "5")
    return _without_zeros(str(rounded), exponent)


def _without_zeros(digits: str, exponent: int) -> tuple[str, int]:
    shorter = digits.rstrip("0")
    return shorter, exponent + len(digits) - len(shorter)
