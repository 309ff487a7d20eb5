"""Powers of floats and integers."""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value, literal
from stablehlo_py.engines.native.arithmetic.vector_math import INF, NAN, exp, log

_ROOTS = {0.5: 0, 1.5: 1, 2.5: 2, -0.5: 0, -1.5: 1, -2.5: 2}  # exponents: square roots times a power of x

# Exponents of products, which are rounded once: `float` is multiplied in `double`.
_PRODUCTS = {"float": (-3, -2, -1, 2, 3, 4), "double": (-1, 2)}


def power(x: Value, y: Value) -> Value:
    """`x^y` with the values of C's `pow`; `float` is computed in `double`."""
    for exponent in _PRODUCTS[x.type]:
        if y.text == literal(exponent, y.type):
            return _product(x, exponent)
    if x.type == "double":
        return x.builder.library("pow", x, y)
    for root, rest in _ROOTS.items():
        if y.text == literal(root, y.type):
            return _root(x, root < 0, rest)
    wide = y.convert("fpext", "double")
    size = exp(wide * log(x.call("fabs").convert("fpext", "double"))).convert("fptrunc", "float")
    whole = y.call("rint").equals(y)
    half = y * 0.5
    odd = whole & half.call("rint").compare("one", half)
    negative = x.bitcast("i32") < 0
    signed = (negative & odd).select(-size, size)
    finite = (x < 0) & x.compare("one", -INF)
    result = (finite & whole.equals(False)).select(NAN, signed)
    unit = (x.equals(1.0)) | (x.equals(-1.0) & y.call("fabs").equals(INF)) | y.equals(0.0)
    return unit.select(1.0, result)


def _product(x: Value, exponent: int) -> Value:
    """A power with a small integer exponent; `float` with several factors is multiplied in `double`."""
    if exponent == 2:
        return x * x
    if exponent == -1:
        return 1 / x
    wide = x.convert("fpext", "double")
    found = wide * wide
    if abs(exponent) > 2:
        found = found * (wide if abs(exponent) == 3 else found)
    return (1 / found if exponent < 0 else found).convert("fptrunc", "float")


def _root(x: Value, reciprocal: bool, rest: int) -> Value:
    """A power of `float` with half of an odd exponent, computed in `double`."""
    size = x.equals(-INF).select(INF, x).convert("fpext", "double")
    found = size.call("sqrt")
    for _ in range(rest):
        found = found * size
    found = found + 0.0  # of -0 it is 0
    return (1 / found if reciprocal else found).convert("fptrunc", "float")


def power_of_integers(x: Value, y: Value, signed: bool) -> Value:
    """`x^y`, wrapping around; of negative exponents the integer part of the reciprocal, and 0 for 0."""
    type = x.type
    name = f"@power.{type}"
    x.builder.declarations.setdefault(name, _BY_SQUARING.replace("NAME", name).replace("TYPE", type))
    found = x.builder.call(name, type, [x, y])
    if not signed:
        return found
    unit = x.equals(1) | x.equals(-1)
    flipped = (y & 1).equals(0).select(1, x)
    return (y < 0).select(unit.select(flipped, 0), found)


_BY_SQUARING = """define internal TYPE NAME(TYPE %x, TYPE %y) nounwind memory(none) {
entry:
  br label %loop
loop:
  %base = phi TYPE [ %x, %entry ], [ %square, %loop ]
  %rest = phi TYPE [ %y, %entry ], [ %half, %loop ]
  %found = phi TYPE [ 1, %entry ], [ %product, %loop ]
  %bit = and TYPE %rest, 1
  %even = icmp eq TYPE %bit, 0
  %factor = select i1 %even, TYPE 1, TYPE %base
  %product = mul TYPE %found, %factor
  %square = mul TYPE %base, %base
  %half = lshr TYPE %rest, 1
  %done = icmp eq TYPE %half, 0
  br i1 %done, label %end, label %loop
end:
  ret TYPE %product
}"""
