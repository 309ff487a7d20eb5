"""Bit patterns of f80, f128 and tf32, by hand: by the x87's and IEEE's formats."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from stablehlo_py.ir.bit_patterns import normalized, number_of, pattern_of, value_of
from stablehlo_py.ir.types import FloatType

TF32, F80, F128 = (FloatType(name) for name in ("tf32", "f80", "f128"))
INTEGER_BIT = 1 << 63  # of f80, which is stored
ROWS = [
    # type, bits, number
    (TF32, 0b0_01111111_0000000000, 1),
    (TF32, 0b1_10000000_1000000000, -3),
    (TF32, 0b0_00000000_0000000001, Fraction(1, 2**136)),
    (TF32, 0b0_00000001_0000000000, Fraction(1, 2**126)),
    (TF32, 0b0_11111110_1111111111, 2**128 - 2**117),
    (TF32, 0b1_11111111_0000000000, -math.inf),
    (F80, 0x3FFF << 64 | INTEGER_BIT, 1),
    (F80, 0xC000 << 64 | INTEGER_BIT | 1 << 62, -3),
    (F80, 1, Fraction(1, 2**16445)),
    (F80, 1 << 64 | INTEGER_BIT, Fraction(1, 2**16382)),
    (F80, 0x7FFE << 64 | (1 << 64) - 1, (2**64 - 1) << (16383 - 63)),
    (F80, 0x7FFF << 64 | INTEGER_BIT, math.inf),
    (F128, 0x3FFF << 112, 1),
    (F128, 0xC000 << 112 | 1 << 111, -3),
    (F128, 1, Fraction(1, 2**16494)),
    (F128, 0x7FFF << 112, math.inf),
    (F128, 0, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("type", "bits", "number"), ROWS, ids=[*map(str, range(len(ROWS)))])
def test_numbers_and_patterns(type: FloatType, bits: int, number: Fraction) -> None:
    assert number_of(bits, type) == number
    assert pattern_of(number if isinstance(number, float) else Fraction(number), type) == bits
    assert normalized(bits, type) == bits


def test_zeros_and_nans_have_signs() -> None:
    for type, width in ((TF32, 19), (F80, 80), (F128, 128)):
        sign = 1 << (width - 1)
        assert pattern_of(-0.0, type) == sign and math.copysign(1, number_of(sign, type)) == -1
        quiet = pattern_of(math.nan, type)
        assert math.isnan(number_of(quiet, type)) and not quiet & sign
    assert pattern_of(math.nan, TF32) == 0b0_11111111_1000000000
    assert pattern_of(math.nan, F80) == 0x7FFF << 64 | 3 << 62
    assert pattern_of(math.nan, F128) == 0x7FFF << 112 | 1 << 111


@pytest.mark.parametrize(
    ("number", "bits"),
    [
        (1 + Fraction(1, 2**11), 0b0_01111111_0000000000),  # a tie, to even
        (1 + Fraction(3, 2**11), 0b0_01111111_0000000010),
        (1 + Fraction(1, 2**11) + Fraction(1, 2**40), 0b0_01111111_0000000001),
        (2 - Fraction(1, 2**12), 0b0_10000000_0000000000),  # carries into the exponent
        (2**128 - 2**117 + 2**115, 0b0_11111110_1111111111),
        (2**128 - 2**116, 0b0_11111111_0000000000),  # a tie, to infinity
        (Fraction(1, 2**137), 0),
        (Fraction(3, 2**138), 1),
        (Fraction(1, 2**126) - Fraction(1, 2**138), 0b0_00000001_0000000000),  # rounds to a normal number
    ],
)
def test_rounding_of_tf32(number: Fraction, bits: int) -> None:
    assert pattern_of(Fraction(number), TF32) == bits
    assert pattern_of(-Fraction(number), TF32) == bits | 1 << 18


def test_leading_bits_of_f80() -> None:
    """C++ reads a denormal number with a leading bit as a normal one, a normal one without it as a NaN."""
    assert normalized(INTEGER_BIT | 5, F80) == 1 << 64 | INTEGER_BIT | 5
    unnormal = 0x3FFF << 64 | 1
    assert normalized(unnormal, F80) == unnormal | 0x7FFF << 64
    assert math.isnan(number_of(normalized(unnormal, F80), F80))
    assert math.isnan(number_of(0x7FFF << 64 | INTEGER_BIT | 1, F80))


def test_values_of_attributes() -> None:
    """The nearest float, and the pattern where the float does not determine it."""
    assert value_of(0x3FFF << 64 | INTEGER_BIT, F80) == (1.0, None)
    third = pattern_of(Fraction(1, 3), F128)
    assert value_of(third, F128) == (1 / 3, third)
    largest = 0x7FFE << 64 | (1 << 64) - 1
    assert value_of(largest, F80) == (math.inf, largest)
    assert value_of(largest | 1 << 79, F80) == (-math.inf, largest | 1 << 79)
    assert value_of(0x7FFF << 64 | INTEGER_BIT, F80) == (math.inf, None)
    value, bits = value_of(pattern_of(math.nan, F80), F80)
    assert math.isnan(value) and bits == 0x7FFF << 64 | 3 << 62


def test_a_number_beyond_the_largest_is_infinite() -> None:
    """Also where its significand is not 1: the pattern is not that of a NaN."""
    for number in (1.0 * 2.0**128, 1.5 * 2.0**128, 2.0**200):
        assert [pattern_of(sign * number, FloatType("tf32")) for sign in (1, -1)] == [0x3FC00, 0x7FC00]
