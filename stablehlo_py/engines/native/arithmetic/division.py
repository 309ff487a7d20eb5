"""Division: quotients of integers, and remainders."""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.llvm_ir import WIDTHS, Value
from stablehlo_py.engines.native.arithmetic.vector_math import INF

_EXACT = 2.0**29  # quotients of two f32, as f64, are not rounded to an integer below


def remainder(x: Value, y: Value) -> Value:
    """The rest of a division that rounds toward zero, as C's `fmod`; of the sign of `x`."""
    b, wide = x.builder, "double"
    if x.type == wide:
        return b.library("fmod", x, y)
    first, second = x.convert("fpext", wide), y.convert("fpext", wide)
    quotient = first / second
    if not b.assume(quotient.call("fabs").compare("ult", _EXACT)):
        return b.library("fmod", first, second).convert("fptrunc", x.type)
    rest = (-quotient.call("trunc")).call("fma", second, first)
    whole = second.call("fabs").equals(INF) & first.call("fabs").compare("one", INF)
    return whole.select(first, rest.call("copysign", first)).convert("fptrunc", x.type)


def divide_integers(x: Value, y: Value, signed: bool) -> Value:
    """Rounds toward zero; by zero it gives all ones, and MIN / -1 is MIN."""
    by_zero, wide = y.compare("eq", 0), _exact_float(y)
    if not signed:
        return by_zero.select(-1, _quotient(x, by_zero.select(1, y), signed, wide))
    by_minus_one = y.compare("eq", -1)
    quotient = _quotient(x, (by_zero | by_minus_one).select(1, y), signed, wide)
    return by_zero.select(-1, by_minus_one.select(0 - x, quotient))


def remainder_of_integers(x: Value, y: Value, signed: bool) -> Value:
    """Of the sign of `x`; by zero it gives `x`."""
    by_zero, wide = y.compare("eq", 0), _exact_float(y)
    if not signed:
        return by_zero.select(x, _rest(x, by_zero.select(1, y), signed, wide))
    by_minus_one = y.compare("eq", -1)
    rest = _rest(x, (by_zero | by_minus_one).select(1, y), signed, wide)
    return by_zero.select(x, by_minus_one.select(0, rest))


def _exact_float(y: Value) -> str | None:
    """The type in which quotients are exact before they are rounded toward zero, None if there is none.

    Vectors of floats can be divided, vectors of integers cannot; division by a constant is a product.
    A quotient of integers of 16 or 32 bits is further from the next integer than f32 or f64 are rounded.
    """
    width = WIDTHS[y.type]
    if width > 32 or not y.text.startswith("%"):
        return None
    return "float" if width <= 16 else "double"


def _quotient(x: Value, y: Value, signed: bool, wide: str | None) -> Value:
    """Divide integers whose quotient fits in their type, in floating point where that is exact."""
    if wide is None:
        return x.builder.emit(x.type, f"{'sdiv' if signed else 'udiv'} {x}, {y.text}")
    first, second = (each.convert("sitofp" if signed else "uitofp", wide) for each in (x, y))
    return (first / second).convert("fptosi" if signed else "fptoui", x.type)


def _rest(x: Value, y: Value, signed: bool, wide: str | None) -> Value:
    """The remainder of a division whose quotient fits in the type."""
    if wide is None:
        return x.builder.emit(x.type, f"{'srem' if signed else 'urem'} {x}, {y.text}")
    return x - _quotient(x, y, signed, wide) * y
