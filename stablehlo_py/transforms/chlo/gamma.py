"""Formulas of `chlo.lgamma`, `chlo.digamma`, `chlo.zeta` and `chlo.polygamma`.

The first two are Lanczos' approximation of the gamma function ("A Precision Approximation of the Gamma
Function", SIAM Journal on Numerical Analysis series B, vol. 1) with Euler's reflection below 1/2; zeta is the
Euler-Maclaurin formula (5) of Johansson's "Rigorous high-precision computation of the Hurwitz zeta function
and its derivatives".
"""

from __future__ import annotations

import math
from itertools import pairwise

from stablehlo_py.ir.element_types import least_positive
from stablehlo_py.ir.types import FloatType, IntegerType
from stablehlo_py.kernels.numeric.coefficients import ZETA_DIVISORS
from stablehlo_py.transforms.chlo import coefficients as table
from stablehlo_py.transforms.chlo.expression import F32, Expression, at_least

_G = 7.0
_INFINITY, _NAN = float("inf"), float("nan")
_SERIES = 9  # terms of zeta's series before the Euler-Maclaurin formula


def lgamma(x: Expression) -> Expression:
    """The logarithm of the absolute value of the gamma function."""
    wide, own = at_least(x, F32)
    return _lgamma(wide).convert(own)


def digamma(x: Expression) -> Expression:
    """The derivative of `lgamma`; NaN at its poles, the integers from 0 down."""
    wide, own = at_least(x, F32)
    return _digamma(wide).convert(own)


def polygamma(n: Expression, x: Expression) -> Expression:
    """The n-th derivative of `digamma`; NaN where n is no natural number."""
    wide_n, own = at_least(n, F32)
    wide_x, _ = at_least(x, F32)
    return _polygamma(wide_n, wide_x).convert(own)


def zeta(x: Expression, q: Expression) -> Expression:
    """The Hurwitz zeta function, the sum of (q + k)^-x over k."""
    wide_x, own = at_least(x, F32)
    wide_q, _ = at_least(q, F32)
    return _zeta(wide_x, wide_q).convert(own)


def _reflected(x: Expression) -> tuple[Expression, Expression, Expression, Expression]:
    """Return 1/2, 1, whether to reflect, and z: x - 1, or -x where it is reflected."""
    half = x.like(0.5)
    reflects = x < half
    negative = -x
    one = x.like(1.0)
    return half, one, reflects, reflects.select(negative, x - one)


def _log_t(x: Expression, z: Expression) -> tuple[Expression, Expression]:
    """Return t = z + g + 1/2 and log(t), by `log_plus_one`, which is accurate where log is not."""
    shift = x.like(_G + 0.5)
    t = shift + z
    log_of_shift = x.like(math.log(_G + 0.5))
    return t, log_of_shift + (z / shift).apply("log_plus_one")


def _lgamma(x: Expression) -> Expression:
    half, one, reflects, z = _reflected(x)
    a = x.like(table.LANCZOS_BASE)
    for index, number in enumerate(table.LANCZOS, 1):
        coefficient = x.like(number)
        a = a + coefficient / (z + x.like(index))
    t, log_t = _log_t(x, z)
    ratio = t / log_t
    r = (z + half - ratio) * log_t
    log_a = a.apply("log")
    value = x.like((math.log(2) + math.log(math.pi)) / 2) + r + log_a
    log_of_sine = _log_of_sine(x, half, one)
    mirrored = x.like(math.log(math.pi)) - log_of_sine - value
    is_finite = log_of_sine.apply("is_finite", type=x.with_element(IntegerType(1)))
    mirrored = is_finite.select(mirrored, -log_of_sine)
    value = reflects.select(mirrored, value)
    is_infinite = abs(x).equal(_INFINITY)
    return is_infinite.select(x.like(_INFINITY), value)


def _log_of_sine(x: Expression, half: Expression, one: Expression) -> Expression:
    """Return log|sin(pi x)|, by the fraction of x, which is folded into [0, 1/2]."""
    magnitude = abs(x)
    fraction = magnitude - magnitude.apply("floor")
    is_upper = half < fraction
    fraction = is_upper.select(one - fraction, fraction)
    return (x.like(math.pi) * fraction).apply("sine").apply("log")


def _digamma(x: Expression) -> Expression:
    _, _, reflects, z = _reflected(x)
    zero = x.like(0.0)
    a, slope = x.like(table.LANCZOS_BASE), zero
    for index, number in enumerate(table.LANCZOS, 1):
        coefficient = x.like(number)
        term = z + x.like(index)
        slope = slope - coefficient / (term * term)
        a = a + coefficient / term
    t, log_t = _log_t(x, z)
    relative = slope / a
    rest = x.like(_G) / t
    value = log_t + relative - rest
    reduced = x + abs((x + x.like(0.5)).apply("floor"))
    pi = x.like(math.pi)
    angle = pi * reduced
    cosine, sine = angle.apply("cosine"), angle.apply("sine")
    mirrored = value - pi * cosine / sine
    value = reflects.select(mirrored, value)
    is_pole = (x <= zero) & x.equal(x.apply("floor"))
    return is_pole.select(x.like(_NAN), value)


def _polygamma(n: Expression, x: Expression) -> Expression:
    one, two = x.like(1.0), x.like(2.0)
    sign = two * n.apply("remainder", two) - one
    following = n + one
    factorial = following.apply("chlo.lgamma").apply("exponential")
    sums = following.apply("chlo.zeta", x)
    value = sign * factorial * sums
    zero = x.like(0.0)
    is_zero = n.equal(zero)
    value = is_zero.select(x.apply("chlo.digamma"), value)
    is_wrong = n.unequal(n.apply("floor")) | (n < zero)
    return is_wrong.select(x.like(_NAN), value)


def _zeta(x: Expression, q: Expression) -> Expression:
    zero, one = q.like(0.0), q.like(1.0)
    current, negative = q, -x
    series = q.apply("power", negative)
    for _ in range(_SERIES):
        current = current + one
        series = series + current.apply("power", negative)
    current = current + one
    power = current.apply("power", negative)
    one_of_x = x.like(1.0)
    integral = power * current / (x - one_of_x)
    rest = _bernoulli(x, current, power, zero, one)
    value = series + integral + rest
    element = q.element
    assert isinstance(element, FloatType)
    is_exact = abs(power) < abs(series) * least_positive(element)
    value = is_exact.select(series, value)
    return _special_zeta(x, q, zero, one, one_of_x, value)


def _bernoulli(
    x: Expression, current: Expression, power: Expression, zero: Expression, one: Expression
) -> Expression:
    """Return the sum of the Euler-Maclaurin formula over Bernoulli's numbers, by Horner's rule."""
    inverse = one / (current * current)
    total = zero
    last, *others = ZETA_DIVISORS
    steps = range(2 * len(others), 0, -1)
    for (upper, lower), number in zip(list(pairwise(steps))[::2], reversed(others), strict=True):
        product = (x + x.like(float(upper))) * (x + x.like(float(lower)))
        total = product * (inverse * (total + current.like(1 / number)))
    half = power.like(0.5)
    return power * (half + x / current * (current.like(1 / last) + total))


def _special_zeta(
    x: Expression, q: Expression, zero: Expression, one: Expression, one_of_x: Expression, value: Expression
) -> Expression:
    """NaN outside of the domain; infinities at x = 1, and at poles where x is even."""
    nan = x.like(_NAN)
    value = (x < one_of_x).select(nan, value)
    is_low = q <= zero
    value = (is_low & x.unequal(x.apply("floor"))).select(nan, value)
    infinity = x.like(_INFINITY)
    is_pole = is_low & q.equal(q.apply("floor"))
    two = x.like(2.0)
    is_even = x.equal(x.apply("floor")) & x.apply("remainder", two).equal(zero)
    value = is_pole.select(is_even.select(infinity, nan), value)
    return x.equal(one).select(infinity, value)
