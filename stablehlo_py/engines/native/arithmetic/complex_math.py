"""Functions of complex numbers, as the kernels' (`kernels/numeric/complex_functions.py`).

A function in `in_double` computes complex<f32> in f64 and rounds once. Squares and exponentials of an f32 do
not overflow in f64, and differences that cancel keep enough digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

from stablehlo_py.engines.native.arithmetic import vector_math as v
from stablehlo_py.engines.native.arithmetic.llvm_ir import Complex, Value, complex_of

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


def exp(z: Complex) -> Complex:
    """`exp(x) (cos y + i sin y)`; the imaginary part is 0 where `y` is 0."""
    x, y = z.real, z.imag
    return complex_of(_scaled(v.cos(y), x), y.equals(0.0).select(y, _scaled(v.sin(y), x)))


def _scaled(factor: Value, x: Value) -> Value:
    """`exp(x) * factor`, finite where only `exp(x)` overflows."""
    scale, half = v.exp(x), v.exp(x * 0.5)
    return scale.equals(INF).select(half * factor * half, scale * factor)


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


def quotient(x: Value, y: Value) -> Value:
    """`x / y`; where both parts are NaN, infinities and zeros are those of C's Annex G (G.5.1)."""
    found = _complex(x / y)
    a, b, c, d = real(x), imag(x), real(y), imag(y)
    top, bottom = _is_infinite(_complex(x)), _is_infinite(_complex(y))
    top = top & c.call("fabs").compare("olt", INF) & d.call("fabs").compare("olt", INF)
    bottom = bottom & a.call("fabs").compare("olt", INF) & b.call("fabs").compare("olt", INF)
    p, q = (top.select(_direction(part), part) for part in (a, b))
    r, s = (bottom.select(_direction(part), part) for part in (c, d))
    scale = top.select(INF, a.like(0.0))
    limit = complex_of((p * r + q * s) * scale, (q * r - p * s) * scale)
    undecided = found.real.is_nan() & found.imag.is_nan() & (top | bottom)
    by_zero = c.equals(0.0) & d.equals(0.0)
    return by_zero.select(complex_of(a / c, b / c), undecided.select(limit, found))


def _direction(x: Value) -> Value:
    """1 for infinities and 0 for other numbers, of their signs."""
    return x.call("fabs").equals(INF).select(1.0, x.like(0.0)).call("copysign", x)


def _reciprocal(z: Complex) -> Complex:
    """`1 / z`; zeros with the signs of the conjugate where a part of `z` is infinite, of NaN +0."""
    small = complex_of(_zero_like(z.real), _zero_like(-z.imag))
    return _complex(_is_infinite(z).select(small, z.like(1) / z))


def _zero_like(x: Value) -> Value:
    """A zero of the sign of a number, +0 of NaN."""
    return x.is_nan().select(0.0, x.like(0.0).call("copysign", x))


def rsqrt(z: Complex) -> Complex:
    """`1 / sqrt(z)`, zero for infinite `z`."""
    return _reciprocal(sqrt(z))


def logistic(z: Complex) -> Complex:
    """`1 / (1 + exp(-z))`."""
    return _reciprocal(_complex(exp(_complex(-z)) + 1))


def rsqrt_in_library(z: Complex) -> Complex:
    """`1 / sqrt(z)` of any number in f64: no square of a part overflows."""
    return _reciprocal(_complex(in_library("csqrt")(z)))


def conjugate(z: Value) -> Value:
    """The conjugate."""
    return complex_of(_complex(z).real, -_complex(z).imag)


def square(z: Complex) -> Complex:
    """`z^2`; its real part `(x - y) (x + y)` overflows only where `x^2 - y^2` does."""
    x, y = z.real, z.imag
    size = x.call("fabs")
    balanced = size.equals(y.call("fabs")) & size.compare("one", INF)
    return complex_of(balanced.select(0.0, (x - y) * (x + y)), x * y * 2)


def cube_root(z: Complex) -> Value:
    """The principal cube root."""
    found = in_library("cexp")(in_library("clog")(z) / z.like(3))
    return z.compare("oeq", 0).select(z, found)


def atan2(y: Complex, x: Complex) -> Value:
    """`-i log((x + i y) / sqrt(x^2 + y^2))`, of numbers whose squares neither overflow nor underflow."""
    from stablehlo_py.kernels.numeric.complex_functions import RESCALE

    parts = [part.call("fabs") for part in (x.real, x.imag, y.real, y.imag)]
    size = reduce(lambda a, b: a.call("maximum", b), parts)
    far = ((size > _SQUARES) & (size < INF)).select(1 / RESCALE, size.like(1.0))
    scale = ((size < 1 / _SQUARES) & (size > 0.0)).select(RESCALE, far)
    x, y = (complex_of(z.real * scale, z.imag * scale) for z in (x, y))
    turned = x + _complex(y.like(1j) * y)
    angle = in_library("clog")(turned / in_library("csqrt")(x * x + y * y))
    return angle.like(-1j) * angle


def expm1(z: Complex) -> Complex:
    """`exp(z) - 1`, accurate near 0: its real part is `expm1(x) cos y - 2 sin(y / 2)^2`."""
    x, y = z.real, z.imag
    cosine, sine, half = v.cos(y), v.sin(y), v.sin(y * 0.5)
    small = v.expm1(x)
    near = small * cosine - half * half * 2
    real = (x.call("fabs") < 1).select(near, _scaled(cosine, x) - 1)
    flat = y.equals(0.0)
    return complex_of(flat.select(small, real), flat.select(y, _scaled(sine, x)))


_SQUARES = 1e150  # the squares of smaller numbers, and of their halves, do not overflow


def log1p(z: Complex) -> Complex:
    """`log(1 + z)`: `log((1 + x)^2 + y^2) / 2`, whose squares are summed exactly, and an angle."""
    from stablehlo_py.kernels.numeric.complex_functions import compensated_sum

    x, y = z.real, z.imag
    a, b = x.call("fabs"), y.call("fabs")
    low, high = a.call("minimum", b), a.call("maximum", b)
    ratio = low.equals(high).select(1.0, low / high)
    far = v.log(high) + v.log1p(ratio * ratio) * 0.5
    shifted = x + 1
    near_pole = v.log(shifted * shifted + y * y) * 0.5
    terms = [x + x, *_exact_square(y), *_exact_square(x)]
    near_circle = v.log1p(compensated_sum(terms, x.like(0.0))) * 0.5
    inside = (shifted.call("fabs") + b < 0.2).select(near_pole, near_circle)
    return complex_of((high > _SQUARES).select(far, inside), v.in_library("atan2")(y, shifted))


def _exact_square(x: Value) -> tuple[Value, Value]:
    """The square and its rounding error."""
    square = x * x
    return square, x.call("fma", x, -square)


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
