"""Special functions as branch-free LLVM IR, by polynomials and series (`vector_math.py`)."""

from __future__ import annotations

import math

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.arithmetic.vector_math import COS, INF, NAN, SIN, exp, fma, log, polynomial

# erf(x) = x + x P(x^2) on |x| <= 1; log(erfc(x)) on 1 <= x <= 4
ERF_FLOAT = (
    0.128379165848350946, -0.37612626666720331, 0.11283594715160218, -0.026854212010626412,
    0.005189087423433974, -0.000801686428716587, 7.8758750626854883e-05,
)  # fmt: skip
LOG_ERFC_FLOAT = (
    0.00032091438298995361, -1.1302367226573333, -0.6318202467818206, -0.11008568029183151,
    0.026424370927290829, -0.0047607477108262182, 0.00059705294613100617, -4.6087447289825914e-05,
    1.6386373248754713e-06,
)  # fmt: skip


def erf(x: Value) -> Value:
    """The error function."""
    if x.type == "double":
        return x.builder.library("erf", x)
    size = x.call("fabs")
    near = fma(x, polynomial(x * x, ERF_FLOAT), x)
    limited = (size > 4.0).select(4.0, size)
    far = (1 - exp(polynomial(limited, LOG_ERFC_FLOAT))).call("copysign", x)
    return (size < 1.0).select(near, far)


def erf_inv(x: Value) -> Value:
    """The inverse of the error function."""
    from stablehlo_py.kernels.numeric import coefficients as of

    w = -log((1 - x) * (1 + x))
    root = w.call("sqrt")
    if x.type == "double":
        middle = polynomial(root - 3.25, of.ERF_INV_MIDDLE[::-1])
        far = (w < 16).select(middle, polynomial(root - 5, of.ERF_INV_FAR[::-1]))
        result = (w < 6.25).select(polynomial(w - 3.125, of.ERF_INV_NEAR[::-1]), far) * x
    else:
        far = polynomial(root - 3, of.ERF_INV_FAR_F32[::-1])
        result = (w < 5).select(polynomial(w - 2.5, of.ERF_INV_NEAR_F32[::-1]), far) * x
    return x.call("fabs").compare("oeq", 1.0).select(x * INF, result)


# Of digamma(y) - log(y) + 1 / (2 y), in 1 / y^2
_DIGAMMA = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32760, -1 / 12)
_SHIFT = 8  # recurrences, after which the series converges


def digamma(x: Value) -> Value:
    """The derivative of the logarithm of the gamma function, computed in `double`."""
    wide = x.convert("fpext", "double")
    negative = wide < 0
    size = negative.select(1 - wide, wide)
    total = x.builder.constant(0.0, "double")
    for k in range(_SHIFT):
        total = total + 1 / (size + k)
    y = size + _SHIFT
    z = 1 / (y * y)
    positive = log(y) - 0.5 / y + z * polynomial(z, _DIGAMMA) - total
    fraction = wide - wide.call("rint")
    sine, cosine = _of_half_turns(fraction)
    reflected = positive - math.pi * cosine / sine
    found = negative.select(reflected, positive)
    found = ((wide <= 0) & fraction.equals(0.0)).select(NAN, found)
    return found.convert("fptrunc", x.type)


_HALF_LOG_TURN = math.log(2 * math.pi) / 2
# Of lgamma(y) - (y - 1/2) log(y) + y - log(2 pi) / 2, in 1 / y^2, times y
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)


def lgamma(x: Value) -> Value:
    """The logarithm of the absolute value of the gamma function; of narrower numbers in `double`."""
    if x.type == "double":
        return x.builder.library("lgamma", x)
    wide = x.convert("fpext", "double")
    negative = wide < 0
    size = negative.select(1 - wide, wide)
    below = size < _SHIFT
    product = size
    for k in range(1, _SHIFT):
        product = product * (size + k)
    y = below.select(size + _SHIFT, size)
    logarithm, z = log(y), 1 / (y * y)
    positive = (y - 0.5) * logarithm - y + (polynomial(z, _STIRLING) / y + _HALF_LOG_TURN)
    positive = positive - log(below.select(product, 1.0))
    sine, _ = _of_half_turns(wide - wide.call("rint"))
    reflected = log(math.pi / sine.call("fabs")) - positive
    found = negative.select(reflected, (wide.equals(1.0) | wide.equals(2.0)).select(0.0, positive))
    infinite = wide.call("fabs").equals(INF)
    return infinite.select(INF, found).convert("fptrunc", x.type)


def _of_half_turns(x: Value) -> tuple[Value, Value]:
    """The sine and cosine of `pi * x` in `double`, for `abs(x) <= 1 / 2`, from half the angle."""
    angle = x * (math.pi / 2)
    z = angle * angle
    sine = fma(angle * z, polynomial(z, SIN["double"]), angle)
    cosine = fma(z * z, polynomial(z, COS["double"]), fma(z, -0.5, 1.0))
    return 2 * sine * cosine, 1 - 2 * sine * sine


def bessel_i1e(x: Value) -> Value:
    """`exp(-abs(x))` times the modified Bessel function of the first kind of order 1, in `double`."""
    from stablehlo_py.kernels.numeric import coefficients as of

    wide = x.convert("fpext", "double")
    size = wide.call("fabs")
    near = size * polynomial(size - 1.5, of.I1E_NEAR[::-1])
    middle = size * polynomial(size - 5.5, of.I1E_MIDDLE[::-1])
    far = polynomial(1 / size - 0.0625, of.I1E_FAR[::-1]) / size.call("sqrt")
    found = (size <= 3).select(near, (size <= 8).select(middle, far))
    return found.convert("fptrunc", x.type).call("copysign", x)
