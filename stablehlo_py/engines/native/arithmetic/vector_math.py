"""Elementary functions as branch-free LLVM IR, so that LLVM vectorizes the loops that call them.

Each function is written once, for `float` and `double`, as straight-line arithmetic, polynomials and selects.
Coefficients are minimax fits on the intervals that the comments give. Infinities, NaN, signed zeros and
denormals come out as in IEEE 754 and C's Annex F.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import Number, Value, literal

LOG2E = 1 / math.log(2)
INF, NAN = math.inf, math.nan


class Format(NamedTuple):
    """A floating-point format: its integer type, fraction bits, exponent bias and constants that split ln 2.

    `magic` is 1.5 * 2**fraction: adding it rounds to an integer, which is then in the low bits.
    """

    integer: str
    fraction: int
    bias: int
    magic: float
    ln2_high: float
    ln2_low: float
    tiny: float  # the smallest normal number


FORMATS = {
    "float": Format("i32", 23, 127, 12582912.0, 0.693359375, -2.12194440e-4, 2.0**-126),
    "double": Format(
        "i64", 52, 1023, 6755399441055744.0, 6.93147180369123816490e-1, 1.90821492927058770002e-10, 2.0**-1022
    ),
}


def polynomial(x: Value, coefficients: Sequence[float]) -> Value:
    """`c0 + c1 x + c2 x^2 + ...` by Horner's rule, fused."""
    result: Value | Number = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = x.like(result).call("fma", x, coefficient)
    assert isinstance(result, Value)
    return result


def fma(x: Value, y: Value | Number, z: Value | Number) -> Value:
    """`x * y + z`, rounded once."""
    return x.call("fma", y, z)


def _power_of_two(n: Value, type: str) -> Value:
    """`2^n` for an integer `n` in the exponent's range."""
    format = FORMATS[type]
    return ((n + format.bias) << format.fraction).bitcast(type)


def _round(x: Value) -> tuple[Value, Value]:
    """The nearest integer of a number below 2**22, as a float and an integer; for NaN, NaN and anything."""
    format = FORMATS[x.type]
    shifted = x + format.magic
    magic = x.like(format.magic).bitcast(format.integer)
    return shifted - format.magic, shifted.bitcast(format.integer) - magic


def _exp_parts(x: Value) -> tuple[Value, Value, Value]:
    """`n` (as an integer), `r` and `(e^r - 1 - r) / r^2` with `x = n ln 2 + r` and `|r| <= ln 2 / 2`."""
    format = FORMATS[x.type]
    whole, n = _round(x * LOG2E)
    r = fma(-whole, format.ln2_high, x)
    r = fma(-whole, format.ln2_low, r)
    return n, r, polynomial(r, EXP[x.type])


# (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2
EXP = {
    "float": (0.5, 0.16666573381900846, 0.041666550110305124, 0.00836377387440557, 0.0013926926614021906),
    "double": (
        0.5, 0.16666666666666667534, 0.041666666666620638584, 0.0083333333333297934996,
        0.0013888888918939167785,
        0.00019841269864380513295, 2.4801518641395993583e-05, 2.7557266418612303703e-06,
        2.7621338669142923801e-07, 2.5101346928350340199e-08,
    ),
}  # fmt: skip
EXP_RANGE = {"float": (-104.0, 89.0), "double": (-746.0, 710.0)}


def exp(x: Value) -> Value:
    """`e^x`."""
    low, high = EXP_RANGE[x.type]
    limited = (x > high).select(high, x)
    limited = (limited < low).select(low, limited)
    n, r, tail = _exp_parts(limited)
    mantissa = fma(r * r, tail, r) + 1
    half = n >> 1  # in two steps, for results that are denormal or overflow
    return mantissa * _power_of_two(half, x.type) * _power_of_two(n - half, x.type)


def expm1(x: Value) -> Value:
    """`e^x - 1`, accurate near 0."""
    low, high = (-18.0, 89.0) if x.type == "float" else (-38.0, 710.0)
    limited = (x > high).select(high, x)
    limited = (limited < low).select(low, limited)
    n, r, tail = _exp_parts(limited)
    inner = fma(r * r, tail, r)  # e^r - 1
    scale = _power_of_two(n - 1, x.type)  # half of 2^n, which may overflow
    result = (fma(scale, inner, scale - 0.5)) * 2
    return x.call("fabs").compare("olt", 2.0**-30 if x.type == "float" else 2.0**-60).select(x, result)


# log(1 + f) = f - f^2 / 2 + f^3 P(f) on sqrt(1/2) - 1 <= f <= sqrt(2) - 1
LOG_FLOAT = (
    0.33333331180030048, -0.24999996957950882, 0.20000715748892102, -0.16667802319501254, 0.1424905764569748,
    -0.12425687331451106, 0.11685419923486739, -0.11479733846637636, 0.06971611471451178,
)  # fmt: skip
# log(1 + f) = 2 s + s z P(z) with s = f / (2 + f), z = s^2
LOG_DOUBLE = (
    0.6666666666666666643, 0.40000000000001009569, 0.28571428570723249274, 0.22222222409750114086,
    0.1818179373211175407, 0.1538634244964514425, 0.13266048812203002225, 0.1311483486959749852,
)  # fmt: skip


def _log_parts(x: Value) -> tuple[Value, Value]:
    """`k` and `f` with `x = 2^k (1 + f)`, for positive finite `x`."""
    format = FORMATS[x.type]
    small = x < format.tiny
    scaled = small.select(x * 2.0**format.fraction, x)
    root = x.like(math.sqrt(0.5)).bitcast(format.integer)
    bits = scaled.bitcast(format.integer) - root
    k = (bits >> format.fraction) - small.select(x.builder.constant(format.fraction, format.integer), 0)
    fraction = (bits & ((1 << format.fraction) - 1)) + root
    return k.convert("sitofp", x.type), fraction.bitcast(x.type) - 1


def _log_of(k: Value, f: Value, correction: Value | None = None) -> Value:
    """`k ln 2 + log(1 + f) + correction`."""
    format = FORMATS[f.type]
    if f.type == "float":
        z = f * f
        tail = fma(z * f, polynomial(f, LOG_FLOAT), z * -0.5)
        low = fma(k, format.ln2_low, tail)
    else:
        s = f / (f + 2)
        z = s * s
        half = f * f * 0.5
        tail = fma(s, half + z * polynomial(z, LOG_DOUBLE), -half)
        low = fma(k, format.ln2_low, tail)
    if correction is not None:
        low = low + correction
    return fma(k, format.ln2_high, low + f)


def _log_edges(x: Value, result: Value) -> Value:
    """The result with the values of log at 0, infinity, NaN and negative numbers."""
    result = x.compare("oeq", INF).select(x, result)
    result = x.compare("oeq", 0.0).select(-INF, result)
    return x.compare("uge", 0.0).select(x.is_nan().select(x, result), NAN)


def log(x: Value) -> Value:
    """The natural logarithm."""
    return _log_edges(x, _log_of(*_log_parts(x)))


def log1p(x: Value) -> Value:
    """`log(1 + x)`, accurate near 0."""
    u = x + 1
    k, f = _log_parts(u)
    lost = (x - (u - 1)) / u  # by rounding 1 + x, relative to u
    result = _log_edges(u, _log_of(k, f, lost))
    result = x.compare("oeq", INF).select(x, result)
    return u.compare("oeq", 1.0).select(x, result)


def in_library(name: str) -> Callable[..., Value]:
    """A function of the C mathematics library, computed in `double` and rounded once."""

    def function(*operands: Value) -> Value:
        b = operands[0].builder
        result = b.library(name, *[operand.convert("fpext", "double") for operand in operands])
        return result.convert("fptrunc", operands[0].type)

    return function


# tanh(x) = x + x z P(z), z = x^2, on |x| <= 0.625
TANH = {
    "float": (
        -0.33333333172140362, 0.13333303556915742, -0.053959259577204543, 0.021768918651028210,
        -0.0083439455158391520, 0.0022927448161781423,
    ),
    "double": (
        -0.33333333333333333332, 0.13333333333333330842, -0.053968253968243329295, 0.021869488534404923449,
        -0.0088632353855246468557, 0.0035921213373955427546, -0.0014556513679172459325,
        0.00058710010293834613539, -0.0002135957166565451249,
    ),
}  # fmt: skip


def tanh(x: Value) -> Value:
    """The hyperbolic tangent."""
    size = x.call("fabs")
    limit = 9.1 if x.type == "float" else 22.0
    near = 0.625 if x.type == "float" else 0.25
    z = x * x
    small = fma(x * z, polynomial(z, TANH[x.type]), x)
    grown = expm1(2 * (size > limit).select(limit, size))
    large = (grown / (grown + 2)).call("copysign", x)
    return (size < near).select(small, large).call("copysign", x)


def logistic(x: Value) -> Value:
    """`1 / (1 + e^-x)`."""
    decay = exp(-x.call("fabs"))  # at most 1: no overflow, and denormal results are kept
    return (x < 0).select(decay, 1.0) / (decay + 1)


# sin(r) = r + r z P(z), cos(r) = 1 - z / 2 + z^2 Q(z), z = r^2, on |r| <= pi / 4
SIN = {
    "float": (
        -0.1666666666374136766, 0.0083333318306294284, -0.00019840063040804117, 2.7246868722877945e-06,
    ),
    "double": (
        -0.16666666666666666665, 0.0083333333333333313789, -0.00019841269841264821617,
        2.7557319219150781578e-06,
        -2.5052106167335706388e-08, 1.6058521349954986332e-10, -7.586094789672620073e-13,
    ),
}  # fmt: skip
COS = {
    "float": (
        0.041666666664226133516, -0.0013888887635227975, 2.4800580601354642e-05, -2.7298407652795175e-07,
    ),
    "double": (
        0.041666666666666666666, -0.0013888888888888887802, 2.4801587301584511144e-05,
        -2.7557319221298086973e-07,
        2.0876755754879596407e-09, -1.1470455178216906579e-11, 4.7455370173192583658e-14,
    ),
}  # fmt: skip


def _quarter_turns_table() -> tuple[str, int]:
    """For each exponent of f32, `2^e * 2 / pi` modulo 4 in three parts of 24 bits.

    Their products with significands are exact.
    """
    # 2 / pi in binary, by integer arithmetic (Machin's formula, 400 bits).
    digits = 400

    def arctan_inverse(n: int) -> int:
        total = term = (1 << digits) // n
        k, sign = 1, 1
        while term:
            term //= n * n
            k, sign = k + 2, -sign
            total += sign * (term // k)
        return total

    pi = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
    two_over_pi = (2 << (2 * digits)) // pi
    rows = []
    for exponent in range(256):
        shift = exponent - 150  # of the significand's last bit, where it is no denormal
        scaled = two_over_pi << shift if shift >= 0 else two_over_pi >> -shift
        rest = scaled % (4 << digits)
        parts = []
        for place in (22, 46, 70):  # bits behind the point, in steps of 24
            step = 1 << (digits - place)
            whole = rest // step
            parts.append(whole / 2**place)
            rest -= whole * step
        rows += [*parts, 0.0]
    items = ", ".join(f"double {literal(value, 'double')}" for value in rows)
    return f"[{len(rows)} x double] [{items}]", len(rows)


MODERATE = 1e5  # in size: up to it, quadrants of f32 are found by splitting pi / 2 in two doubles


def _reduce_float(x: Value) -> tuple[Value, Value]:
    """The quadrant of `x` (an i32), and the rest in radians, at most pi / 4 in size, for every f32."""
    b = x.builder
    if b.assume(x.call("fabs").compare("olt", MODERATE)):
        wide = x.convert("fpext", "double")
        whole, quadrant = _round(wide * (2 / math.pi))
        rest = fma(-whole, math.pi / 2, wide)
        return quadrant.convert("trunc", "i32"), fma(-whole, 6.123233995736766e-17, rest).convert(
            "fptrunc", "float"
        )
    bits = x.bitcast("i32")
    exponent = bits.logical_shift_right(23) & 255
    fraction = (bits & 0x7FFFFF) | (exponent.compare("ne", 0)).select(b.constant(1 << 23, "i32"), 0)
    size = fraction.convert("sitofp", "double")
    row = (exponent << 2).convert("zext", "i64")
    table = b.table("@shlo.quarter_turns", _quarter_turns_table)
    turns = b.constant(0.0, "double")
    for place in range(3):
        product = size * b.load("double", table, row + place)
        turns = turns + (product - 4 * (product * 0.25).call("rint"))
    whole, quadrant = _round(turns)
    left = ((turns - whole) * (math.pi / 2)).convert("fptrunc", "float")
    negative = bits < 0
    quadrant = quadrant.convert("trunc", "i32")
    nan = b.constant(NAN, "float")
    left = exponent.equals(255).select(nan, negative.select(-left, left))
    small = x.call("fabs") < math.pi / 4
    quadrant = small.select(0, negative.select(-quadrant, quadrant))
    return quadrant, small.select(x, left)


def _sin_cos(quadrant: Value, r: Value) -> Value:
    """The sine of `quadrant * pi / 2 + r`."""
    z = r * r
    sine = fma(r * z, polynomial(z, SIN[r.type]), r)
    cosine = fma(z * z, polynomial(z, COS[r.type]), fma(z, -0.5, 1.0))
    result = (quadrant & 1).equals(0).select(sine, cosine)
    return (quadrant & 2).equals(0).select(result, -result)


def sin(x: Value) -> Value:
    """The sine of `x` in radians."""
    if x.type == "double":
        return x.builder.library("sin", x)
    result = _sin_cos(*_reduce_float(x))
    return x.compare("oeq", 0.0).select(x, result)


def cos(x: Value) -> Value:
    """The cosine of `x` in radians."""
    if x.type == "double":
        return x.builder.library("cos", x)
    quadrant, r = _reduce_float(x)
    return _sin_cos(quadrant + 1, r)


def tan(x: Value) -> Value:
    """The tangent of `x` in radians."""
    if x.type == "double":
        return x.builder.library("tan", x)
    quadrant, r = _reduce_float(x)
    z = r * r
    sine = fma(r * z, polynomial(z, SIN["float"]), r)
    cosine = fma(z * z, polynomial(z, COS["float"]), fma(z, -0.5, 1.0))
    odd = (quadrant & 1).equals(1)
    result = odd.select(-cosine, sine) / odd.select(sine, cosine)
    return x.compare("oeq", 0.0).select(x, result)


_LOG_HALF = math.log(0.5)


def cosh(x: Value) -> Value:
    """The hyperbolic cosine: exponentials are halved before they overflow, as in the kernel."""
    return exp(x + _LOG_HALF) + exp(_LOG_HALF - x)


def sinh(x: Value) -> Value:
    """The hyperbolic sine, accurate near 0."""
    near = expm1(x)
    small = (near + near / (near + 1)) * 0.5
    return (x.call("fabs") < 1).select(small, exp(x + _LOG_HALF) - exp(_LOG_HALF - x))


_LAYOUTS = {  # integer type, fraction bits and exponent bias
    "half": ("i16", 10, 15),
    **{type: (format.integer, format.fraction, format.bias) for type, format in FORMATS.items()},
}


def reduce_precision(x: Value, exponent_bits: int, mantissa_bits: int, type: str) -> Value:
    """A number of `type`, rounded to a format of fewer bits (`kernels/numeric/numerics.py`)."""
    integer, fraction, widest = _LAYOUTS[type]
    drop, found = fraction - mantissa_bits, x
    if drop > 0:
        bits = x.convert("fptrunc", type).bitcast(integer)
        odd = bits.logical_shift_right(drop) & 1
        bits = (bits + ((1 << drop - 1) - 1) + odd) & -(1 << drop)
        found = bits.bitcast(type).convert("fpext", x.type)
    bias = (1 << exponent_bits - 1) - 1
    if bias < widest:
        size = found.call("fabs")
        found = (size >= 2.0 ** (bias + 1)).select(size.like(INF).call("copysign", x), found)
        found = (size < 2.0 ** (1 - bias)).select(size.like(0.0).call("copysign", x), found)
    return x.is_nan().select(x, found)
