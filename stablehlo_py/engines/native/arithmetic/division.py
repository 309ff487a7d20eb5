"""Division: quotients of integers, and remainders."""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
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
    by_zero = y.compare("eq", 0)
    if not signed:
        quotient = x.builder.emit(x.type, f"udiv {x}, {by_zero.select(1, y).text}")
        return by_zero.select(-1, quotient)
    by_minus_one = y.compare("eq", -1)
    safe = (by_zero | by_minus_one).select(1, y)
    quotient = x.builder.emit(x.type, f"sdiv {x}, {safe.text}")
    return by_zero.select(-1, by_minus_one.select(0 - x, quotient))


def remainder_of_integers(x: Value, y: Value, signed: bool) -> Value:
    """Of the sign of `x`; by zero it gives `x`."""
    by_zero = y.compare("eq", 0)
    if not signed:
        rest = x.builder.emit(x.type, f"urem {x}, {by_zero.select(1, y).text}")
        return by_zero.select(x, rest)
    by_minus_one = y.compare("eq", -1)
    rest = x.builder.emit(x.type, f"srem {x}, {(by_zero | by_minus_one).select(1, y).text}")
    return by_zero.select(x, by_minus_one.select(0, rest))
