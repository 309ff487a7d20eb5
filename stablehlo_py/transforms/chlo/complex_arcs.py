"""Formulas of the inverse trigonometric and hyperbolic functions of complex numbers.

Arc sine and arc cosine are those of Hull, Fairgrieve and Tang ("Implementing the complex arcsine and
arccosine functions using exception handling", ACM Transactions on Mathematical Software 23, 1997). Real and
imaginary part are computed apart, which needs fewer regions: without branches, all of them are evaluated.
The hyperbolic functions are the same functions of a rotated argument.
"""

from __future__ import annotations

import math

from stablehlo_py.transforms.chlo.expression import (
    Expression,
    complex_number,
    hypotenuse,
    is_above,
    largest,
    least_normal,
)

_INFINITY = float("inf")
_LARGEST_NORMS = (1e308, 1e38)  # below the largest f64, and the largest f32
_INVERSE_EPSILONS = (9007199254740994.0, 16777218.0, 2050.0)  # of f64, f32, f16: 1 / (1 - nextafter(1, 0))


def acos(z: Expression) -> Expression:
    """`atan2(q, x) -+ i p` with the kernel's q + i p."""
    kernel = _kernel(z)
    p = kernel.imag()
    real = kernel.real().apply("atan2", z.real())
    return complex_number(real, (z.imag() < 0.0).select(p, -p))


def acosh(z: Expression) -> Expression:
    """`p +- i atan2(q, x)` with the kernel's q + i p."""
    kernel = _kernel(z)
    angle = kernel.real().apply("atan2", z.real())
    return complex_number(kernel.imag(), (z.imag() < 0.0).select(-angle, angle))


def asin(z: Expression) -> Expression:
    """`atan2(x, q) +- i p` with the kernel's q + i p."""
    kernel = _kernel(z)
    p = kernel.imag()
    real = z.real().apply("atan2", kernel.real())
    return complex_number(real, (z.imag() < 0.0).select(-p, p))


def asinh(z: Expression) -> Expression:
    """`-i asin(i z)`."""
    x, y = z.real(), z.imag()
    kernel = _kernel(complex_number(-y, x))
    p = kernel.imag()
    return complex_number((x < 0.0).select(-p, p), y.apply("atan2", kernel.real()))


def atan(z: Expression) -> Expression:
    """`-i atanh(i z)`."""
    rotated = atanh(complex_number(-z.imag(), z.real()))
    return complex_number(rotated.imag(), -rotated.real())


def atanh(z: Expression) -> Expression:
    """`sign(x) log1p(4|x| / ((|x| - 1)^2 + y^2)) / 4`, and half of the angle of (1 - x^2 - y^2) + 2y i.

    If the square of |x| or |y| overflows, terms below the rounding error are left out.
    """
    x, y = z.real(), z.imag()
    ax, ay, yy = abs(x), abs(y), y * y
    zero, one, minus_one = x.like(0.0), x.like(1.0), x.like(-1.0)
    inverse_epsilon = is_above(x, _LARGEST_NORMS, _INVERSE_EPSILONS)
    limit = inverse_epsilon * inverse_epsilon
    is_safe = (ax < limit) & (ay < limit)
    below = one - ax
    infinity, minus_infinity = x.like(_INFINITY), x.like(-_INFINITY)
    is_infinite = (x.equal(infinity) | x.equal(minus_infinity)) | (
        y.equal(infinity) | y.equal(minus_infinity)
    )
    far = is_infinite.select(zero, one / (ax / y + y / ax) / y)
    near_axis = (ay * inverse_epsilon < ax).select(one / ax, far)
    ratio = is_safe.select(ax / (below * below + yy), near_axis)
    sign = (x >= zero).select(one, minus_one)
    real = sign * (x.like(4.0) * ratio).apply("log_plus_one") * 0.25
    angle = (y + y).apply("atan2", below * (one + ax) - yy)
    half_turn = (y >= 0.0).select(one, minus_one) * math.pi
    return complex_number(real, is_safe.select(angle, half_turn) * 0.5)


def _kernel(z: Expression) -> Expression:
    """`sqrt(a^2 - x^2) + i log(a + sqrt(a^2 - 1))`, where 2a = |z + 1| + |z - 1|; of |x| + i|y|."""
    signed = z.real()
    x, y = abs(signed), abs(z.imag())
    one, half, zero, two = (signed.like(number) for number in (1.0, 0.5, 0.0, 2.0))
    numbers = (zero, one, two, signed.like(math.sqrt(2)))
    above, below = x + one, x - one
    r, s = hypotenuse(abs(above), y, numbers), hypotenuse(abs(below), y, numbers)
    a = half * (r + s)
    yy, r_sum, s_sum, s_difference = y * y, r + above, s + below, s - below
    huge = largest(signed).apply("sqrt") / 8.0
    # The real part: sqrt((a + x)(a - x)), where a - x must not cancel.
    mean = half * (a + x)
    inside = (mean * (yy / r_sum + s_difference)).apply("sqrt")
    outside = y * (mean / r_sum + mean / s_sum).apply("sqrt")
    is_huge = x.apply("maximum", y) >= huge
    real = is_huge.select(y, (x <= one).select(inside, outside))
    # The imaginary part: log1p(a - 1 + sqrt((a - 1)(a + 1))), where a - 1 must not cancel.
    next_to_a = a + one
    is_tiny = (y < least_normal(signed).apply("sqrt") * 4.0) & (x < one)
    half_yy = half * yy
    half_ratio = half_yy / r_sum
    close = (a <= 1.5).select(half_ratio + half_yy / s_difference, a - one)
    excess = is_tiny.select(-(above * below / next_to_a), (x >= one).select(half_ratio + half * s_sum, close))
    root = (excess * next_to_a).apply("sqrt")
    near = is_tiny.select(y / root, (excess + root).apply("log_plus_one"))
    return complex_number(real, _far(x, y, huge, near, (zero, half, two)))


def _far(
    x: Expression,
    y: Expression,
    huge: Expression,
    near: Expression,
    numbers: tuple[Expression, Expression, Expression],
) -> Expression:
    """The imaginary part of the kernel: `log(2y) + log1p((x/y)^2) / 2` where x or y is huge, else `near`."""
    zero, half, two = numbers
    bound = (x < huge * 1e12).select(huge * 1e-06, huge * 100.0)
    is_high = y >= bound
    larger = is_high.select(y, x)
    ratio = (is_high & ~y.equal(_INFINITY)).select(x / y, zero)
    rest = half * (ratio * ratio).apply("log_plus_one")
    far = two.apply("log") + larger.apply("log") + rest
    return (larger >= is_high.select(bound, huge)).select(far, near)
