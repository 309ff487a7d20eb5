"""Functions of complex numbers, as the kernels' (`kernels/numeric/complex_functions.py`).

What `in_double` wraps is computed in f64 for complex<f32>, and rounded once: squares and exponentials of an
f32 that matters do not overflow there, and what cancels has digits left.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from stablehlo_py.engines.native.arithmetic import vector_math as v
from stablehlo_py.engines.native.arithmetic.llvm_ir import Complex, Value, complex_of

INF = math.inf
ComplexFunction = Callable[[Complex], Complex]


def _complex(z: Value) -> Complex:
    assert isinstance(z, Complex)
    return z


def in_double(function: ComplexFunction) -> Callable[[Value], Value]:
    """A function of complex<f32> that is computed in f64."""

    def call(z: Value) -> Value:
        parts = _complex(z)
        found = function(
            complex_of(parts.real.convert("fpext", "double"), parts.imag.convert("fpext", "double"))
        )
        return complex_of(found.real.convert("fptrunc", "float"), found.imag.convert("fptrunc", "float"))

    return call


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
    """`z / abs(z)`, and 0 for 0."""
    size = absolute(z)
    divisor = size.equals(0.0).select(1.0, size)
    unit = _complex(z / complex_of(divisor, divisor.like(0.0)))
    return (z.compare("une", z)).select(complex(math.nan, math.nan), unit)


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


def _reciprocal(z: Complex) -> Complex:
    """`1 / z`; zeros with the signs of the conjugate where a part of `z` is infinite."""
    zero = z.real.like(0.0)
    small = complex_of(zero.call("copysign", z.real), zero.call("copysign", -z.imag))
    return _complex(_is_infinite(z).select(small, z.like(1) / z))


def rsqrt(z: Complex) -> Complex:
    """`1 / sqrt(z)`, zero for infinite `z`."""
    return _reciprocal(sqrt(z))


def logistic(z: Complex) -> Complex:
    """`1 / (1 + exp(-z))`."""
    return _reciprocal(_complex(exp(_complex(-z)) + 1))
