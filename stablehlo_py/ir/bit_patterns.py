"""Bit patterns of numbers, by exact arithmetic: for the floating-point types that NumPy does not have.

These are tf32, f80, whose significand is stored with its leading bit, and f128.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from stablehlo_py.ir.element_types import ELEMENT_TYPES, FloatFormat
from stablehlo_py.ir.types import FloatType

if TYPE_CHECKING:
    from fractions import Fraction  # slow to import, and few programs have such types

    Number = float | Fraction  # a float if it is infinite, NaN or a zero


def pattern_of(value: Number, type: FloatType) -> int:
    """Return the bit pattern of the nearest number of a type; of two, that with an even significand.

    Args:
        value: The number.
        type: A type with infinities and NaNs, such as f80.
    """
    from fractions import Fraction

    format, stored = _layout(type)
    highest = (1 << format.exponent) - 1
    sign = int(value < 0 or (value == 0 and math.copysign(1.0, value) < 0)) << (stored + format.exponent)
    leading = 1 << (format.significand - 1)
    explicit = leading if stored == format.significand else 0
    if isinstance(value, float) and not math.isfinite(value):
        return sign | highest << stored | explicit | (leading >> 1 if math.isnan(value) else 0)
    magnitude = abs(Fraction(value))
    power = max(_power(magnitude), 1 - format.bias)
    units = round(magnitude * Fraction(2) ** (format.significand - 1 - power))
    if units == leading << 1:
        units, power = leading, power + 1
    exponent = power + format.bias if units >= leading else 0
    if exponent >= highest:
        return sign | highest << stored | explicit
    return sign | exponent << stored | (units if explicit else units & (leading - 1))


def normalized(bits: int, type: FloatType) -> int:
    """Return the bit pattern that C++ makes of one whose leading bit does not agree with its exponent.

    In f80, a denormal number with a leading bit is the normal number of the same value, and a normal number
    without one is a NaN.

    Args:
        bits: The bit pattern.
        type: A type with infinities and NaNs, such as f80.
    """
    format, stored = _layout(type)
    highest = (1 << format.exponent) - 1
    exponent = bits >> stored & highest
    if stored < format.significand or exponent == highest or bits >> (stored - 1) & 1 == (exponent > 0):
        return bits
    return bits | (highest if exponent else 1) << stored


def number_of(bits: int, type: FloatType) -> Number:
    """Return the number of a bit pattern.

    Args:
        bits: The bit pattern.
        type: A type with infinities and NaNs, such as f80.
    """
    from fractions import Fraction

    format, stored = _layout(type)
    highest = (1 << format.exponent) - 1
    sign = -1 if bits >> (stored + format.exponent) & 1 else 1
    exponent, units = bits >> stored & highest, bits & ((1 << stored) - 1)
    leading = 1 << (format.significand - 1)
    if exponent == highest:
        infinity = leading if stored == format.significand else 0
        return sign * math.inf if units == infinity else math.nan
    if exponent and stored < format.significand:
        units |= leading
    power = max(exponent, 1) - format.bias - (format.significand - 1)
    return sign * units * Fraction(2) ** power if units else sign * 0.0


def value_of(bits: int, type: FloatType) -> tuple[float, int | None]:
    """Return the value of an attribute from a bit pattern, as `FloatAttr` has it.

    Args:
        bits: The bit pattern.
        type: A type with infinities and NaNs, such as f80.

    Returns:
        The nearest Python float, and the pattern if the float does not determine it.
    """
    bits = normalized(bits, type)
    number = number_of(bits, type)
    try:
        value = float(number)
    except OverflowError:
        value = math.inf if number > 0 else -math.inf
    return value, None if value == value and pattern_of(value, type) == bits else bits


def _layout(type: FloatType) -> tuple[FloatFormat, int]:
    """Return the format of a type, and the number of stored bits of the significand."""
    row = ELEMENT_TYPES[type]
    assert row.format is not None
    return row.format, row.width - 1 - row.format.exponent


def _power(magnitude: Fraction) -> int:
    """Return the exponent of the leading bit of a number; a small one for 0."""
    if not magnitude:
        return -(1 << 30)
    over, under = magnitude.numerator, magnitude.denominator
    power = over.bit_length() - under.bit_length()
    is_less = over < under << power if power >= 0 else over << -power < under
    return power - is_less
