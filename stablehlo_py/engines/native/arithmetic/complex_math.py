"""Functions of complex numbers, by the formulas of the kernels (`kernels/numeric/complex_formulas.py`).

A function in `in_double` computes complex<f32> in f64 and rounds once. Squares and exponentials of an f32 do
not overflow in f64, and differences that cancel keep enough digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

from stablehlo_py.engines.native.arithmetic import vector_math as v
from stablehlo_py.engines.native.arithmetic.llvm_ir import Complex, Value, complex_of
from stablehlo_py.kernels.numeric import complex_formulas as formulas

INF = math.inf
ComplexFunction = Callable[..., Value]


def _complex(z: Value) -> Complex:
    assert isinstance(z, Complex)
    return z


def in_double(function: ComplexFunction, in_f64: ComplexFunction | None = None) -> Callable[..., Value]:
    """A function of complex numbers that is computed in f64; of complex<f64> by another, if there is one."""

    def call(*operands: Value) -> Value:
        first = _complex(operands[0]).real.type
        wide = [_parts(z, "fpext", "double") for z in operands]
        chosen = in_f64 if in_f64 is not None and first == "double" else function
        return _parts(chosen(*wide), "fptrunc", first)

    return call


def _parts(z: Value, conversion: str, type: str) -> Complex:
    """The number with parts of another type."""
    real, imag = (part.convert(conversion, type) for part in (_complex(z).real, _complex(z).imag))
    return complex_of(real, imag)


def in_library(name: str) -> Callable[..., Value]:
    """A function of the C library, which takes and returns complex numbers as pairs of doubles."""

    def function(z: Value) -> Value:
        parts = _parts(z, "fpext", "double")
        b = z.builder
        pair = b.library(name, parts.real, parts.imag, result="{ double, double }")
        real, imag = (b.emit("double", f"extractvalue {pair}, {k}") for k in range(2))
        return _parts(complex_of(real, imag), "fptrunc", _complex(z).real.type)

    return function


def real(z: Value) -> Value:
    """The real part."""
    return _complex(z).real


def imag(z: Value) -> Value:
    """The imaginary part."""
    return _complex(z).imag


def absolute(z: Value) -> Value:
    """The modulus, by the ratio of the parts, as XLA's; infinite where a part is, even beside NaN."""
    x, y = _complex(z).real.call("fabs"), _complex(z).imag.call("fabs")
    flat = x.compare("oge", y)
    large, small = flat.select(x, y), flat.select(y, x)
    ratio = small / large
    size = large * ratio.call("fma", ratio, 1.0).call("sqrt")
    zero = large.equals(0.0) & small.equals(0.0)
    return _is_infinite(_complex(z)).select(INF, zero.select(0.0, size))


def _modulus(z: Complex) -> Value:
    """The modulus of a number whose squares do not overflow."""
    size = (z.real * z.real + z.imag * z.imag).call("sqrt")
    return _is_infinite(z).select(INF, size)


def _is_infinite(z: Complex) -> Value:
    return z.real.call("fabs").equals(INF) | z.imag.call("fabs").equals(INF)


def sign(z: Value) -> Value:
    """`z / abs(z)`, part by part; zeros stay, and a part that is NaN makes both NaN."""
    size = absolute(z)
    unit = complex_of(_complex(z).real / size, _complex(z).imag / size)
    found = z.compare("oeq", 0).select(z, unit)
    return z.compare("une", z).select(complex(math.nan, math.nan), found)


def log(z: Complex) -> Complex:
    """`log(abs(z)) + i atan2(y, x)`."""
    return complex_of(v.log(_modulus(z)), v.in_library("atan2")(z.imag, z.real))


def sqrt(z: Complex) -> Complex:
    """The root whose real part is not negative; at the branch cut, the sign of `y` decides."""
    x, y = z.real, z.imag
    root = ((x.call("fabs") + _modulus(z)) * 0.5).call("sqrt")
    other = y / (root * 2)
    right = x >= 0
    found: Value = complex_of(
        right.select(root, other.call("fabs")), right.select(other, root.call("copysign", y))
    )
    found = (x.equals(0.0) & y.equals(0.0)).select(complex_of(x.like(0.0), y), found)
    # C's Annex G: infinities, the imaginary one first.
    rest = y - y  # 0, or NaN
    up = complex_of(x.like(INF), y.is_nan().select(y, rest.call("copysign", y)))
    down = complex_of(rest.call("fabs"), x.like(INF).call("copysign", y))
    found = x.equals(INF).select(up, found)
    found = x.equals(-INF).select(down, found)
    return _complex(y.call("fabs").equals(INF).select(complex_of(x.like(INF), y), found))


def conjugate(z: Value) -> Value:
    """The conjugate."""
    return complex_of(_complex(z).real, -_complex(z).imag)


def _extreme(strictly: str, at_least: str) -> Callable[[Value, Value], Value]:
    """Return the minimum or maximum in lexicographic order; the first operand if it has NaN."""

    def extreme(z: Value, other: Value) -> Value:
        a, b = _complex(z), _complex(other)
        ordered = a.imag.compare("ord", b.imag)
        before = a.real.compare(strictly, b.real) & ordered
        before = before | (a.real.equals(b.real) & a.imag.compare(at_least, b.imag))
        return (before | a.compare("une", a)).select(a, b)

    return extreme


maximum, minimum = _extreme("ogt", "oge"), _extreme("olt", "ole")


# Formulas


def _of_kind(real: Callable[..., Value], name: str) -> Callable[..., Value]:
    """A function of floats, and that of complex numbers in the C library."""
    return lambda x: in_library(name)(x) if isinstance(x, Complex) else real(x)


def _exact_square(x: Value) -> tuple[Value, Value]:
    """The square and its rounding error."""
    square = x * x
    return square, x.call("fma", x, -square)


_XP = SimpleNamespace(
    abs=lambda x: x.call("fabs"),
    arctan2=v.in_library("atan2"),
    complex=complex_of,
    copysign=lambda x, y: x.call("copysign", y),
    cos=v.cos,
    equal=lambda x, y: x.compare("oeq", y),
    exact_square=_exact_square,
    exp=_of_kind(v.exp, "cexp"),
    expm1=v.expm1,
    isfinite=lambda x: x.call("fabs").compare("olt", INF),
    isinf=lambda x: x.call("fabs").equals(INF),
    isnan=lambda x: x.is_nan(),
    log=_of_kind(v.log, "clog"),
    log1p=v.log1p,
    maximum=lambda x, y: x.call("maximum", y),
    minimum=lambda x, y: x.call("minimum", y),
    ones_like=lambda x: x.like(1.0),
    sin=v.sin,
    sqrt=_of_kind(lambda x: x.call("sqrt"), "csqrt"),
    where=lambda condition, x, y: condition.select(x, y),
    zeros_like=lambda x: x.like(0.0),
)

exp, expm1, log1p, square, logistic, atan2, cube_root, rsqrt_in_library = (
    partial(formula, _XP)
    for formula in (
        formulas.exp,
        formulas.expm1,
        formulas.log1p,
        formulas.square,
        formulas.logistic,
        formulas.atan2,
        formulas.cube_root,
        formulas.rsqrt,
    )
)


def rsqrt(z: Complex) -> Value:
    """`1 / sqrt(z)`, zero for infinite `z`, of a number whose squares do not overflow."""
    found: Value = formulas.reciprocal(_XP, sqrt(z))
    return found


def quotient(x: Value, y: Value) -> Value:
    """`x / y`, with the infinities and zeros of C's Annex G."""
    found: Value = formulas.quotient(_XP, x, y, x / y)
    return found
