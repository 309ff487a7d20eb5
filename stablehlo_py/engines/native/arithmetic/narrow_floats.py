"""Floating-point numbers of at most 8 bits: widened to f32 and rounded from it, by the row of the format.

Results are those of ml_dtypes, bit for bit (but for the payload of NaN).
"""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.ir.element_types import FloatFormat
from stablehlo_py.ir.records import dataclass

_FRACTION, _BIAS, _INFINITY, _QUIET = 23, 127, 0x7F800000, 0x7FC00000  # of f32
_LEAST_POWER = 0x400000  # 2**-127 in f32, the 0 of f8E8M0FNU


@dataclass(frozen=True)
class NarrowFloat:
    """A format in the low bits of a byte, and its encodings.

    Attributes:
        format: The format.
        width: Its width in bits.
    """

    format: FloatFormat
    width: int

    @property
    def _fraction(self) -> int:
        return self.format.significand - 1

    @property
    def _sign(self) -> int:
        """The bit of the sign."""
        return 1 << (self.width - 1)

    @property
    def _infinity(self) -> int:
        """The first encoding above the finite ones, without sign."""
        if self.format.nan == "exponent":
            return ((1 << self.format.exponent) - 1) << self._fraction
        return self._sign - (1 if self.format.nan == "ones" else 0)

    def widen(self, stored: Value) -> Value:
        """The number as f32."""
        bits = stored.convert("zext", "i32")
        if not self.format.signed:
            power = bits.equals(0).select(_LEAST_POWER, bits << _FRACTION)
            return bits.equals(255).select(_QUIET, power).bitcast("float")
        size = bits & (self._sign - 1)
        moved = size << (_FRACTION - self._fraction)
        number = (moved.bitcast("float") * 2.0 ** (_BIAS - self.format.bias)).bitcast("i32")
        if self.format.nan == "exponent":
            number = (size >= self._infinity).select(moved | _INFINITY, number)
        elif self.format.nan == "ones":
            number = size.equals(self._infinity).select(_QUIET, number)
        elif self.format.nan == "negative zero":
            number = bits.equals(self._sign).select(_QUIET, number)
        return (number | ((bits & self._sign) << (32 - self.width))).bitcast("float")

    def narrow(self, value: Value) -> Value:
        """The encoding of an f32, rounded to nearest even."""
        bits = value.bitcast("i32")
        size = bits & 0x7FFFFFFF
        if not self.format.signed:
            return self._narrow_power(value, size).convert("trunc", "i8")
        sign = bits.logical_shift_right(31) << (self.width - 1)
        code = self._rounded(size)
        nan = self.format.nan
        if nan == "exponent":
            code = (code >= self._infinity).select(self._infinity, code)
            code = value.is_nan().select(self._infinity | (1 << (self._fraction - 1)), code) | sign
        elif nan == "ones":
            code = (code >= self._infinity).select(self._infinity, code) | sign
        elif nan == "negative zero":
            code = code.equals(0).select(0, code | sign)
            code = (self._rounded(size) >= self._infinity).select(self._sign, code)
        else:
            code = (code >= self._infinity).select(self._infinity - 1, code)
            code = value.is_nan().select(self._sign, code | sign)
        return code.convert("trunc", "i8")

    def _rounded(self, size: Value) -> Value:
        """The encoding of a number without sign, as if exponents had no end."""
        drop = _FRACTION - self._fraction
        half = size.logical_shift_right(drop) & 1
        normal = (size + ((1 << (drop - 1)) - 1) + half).logical_shift_right(drop)
        normal = normal - ((_BIAS - self.format.bias) << self._fraction)
        unit = size.builder.constant(2.0 ** (1 - self.format.bias + drop), "float")  # ends in the last place
        subnormal = (size.bitcast("float") + unit).bitcast("i32") - unit.bitcast("i32")
        return (size.bitcast("float") < 2.0 ** (1 - self.format.bias)).select(subnormal, normal)

    def _narrow_power(self, value: Value, size: Value) -> Value:
        """The nearest power of two; halves are rounded up, and all between the two least ones."""
        subnormal = (size > _LEAST_POWER).select(size.like(1), 0)
        power = (size + _LEAST_POWER).logical_shift_right(_FRACTION)
        power = (size < 2 * _LEAST_POWER).select(subnormal, power)
        return (value > 0).select((power > 255).select(255, power), 255)
