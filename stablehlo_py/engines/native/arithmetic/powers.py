"""Powers of floats."""

from __future__ import annotations

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value, literal
from stablehlo_py.engines.native.arithmetic.vector_math import INF, NAN, exp, log

_ROOTS = {0.5: 0, 1.5: 1, 2.5: 2, -0.5: 0, -1.5: 1, -2.5: 2}  # exponents: square roots times a power of x


def power(x: Value, y: Value) -> Value:
    """`x^y` with the values of C's `pow`; `float` is computed in `double`."""
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


def _root(x: Value, reciprocal: bool, rest: int) -> Value:
    """A power of `float` with half of an odd exponent, computed in `double`."""
    size = x.equals(-INF).select(INF, x).convert("fpext", "double")
    found = size.call("sqrt")
    for _ in range(rest):
        found = found * size
    found = found + 0.0  # of -0 it is 0
    return (1 / found if reciprocal else found).convert("fptrunc", "float")
