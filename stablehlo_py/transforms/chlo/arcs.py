"""Formulas of the inverse trigonometric and hyperbolic functions of real numbers."""

from __future__ import annotations

from stablehlo_py.transforms.chlo.expression import Expression, largest


def acos(x: Expression) -> Expression:
    """`atan2(sqrt(1 - x^2), x)`, in factors that do not cancel."""
    return _cosine_of_arcsine(x, x.like(1.0)).apply("atan2", x)


def asin(x: Expression) -> Expression:
    """`2 atan2(x, 1 + sqrt(1 - x^2))`, in factors that do not cancel."""
    one = x.like(1.0)
    half = x.apply("atan2", one + _cosine_of_arcsine(x, one))
    return half + half


def _cosine_of_arcsine(x: Expression, one: Expression) -> Expression:
    """`sqrt(1 - x^2)`."""
    return ((one - x) * (one + x)).apply("sqrt")


def atan(x: Expression) -> Expression:
    """`atan2(x, 1)`."""
    return x.apply("atan2", 1.0)


def acosh(x: Expression) -> Expression:
    """`log1p(sqrt(x - 1) (sqrt(x + 1) + sqrt(x - 1)))`; of large numbers, `log(2) + log(x)`."""
    two = x.like(2.0)
    is_large = x >= largest(x) / two
    large = two.apply("log") + x.apply("log")
    one = x.like(1.0)
    below, above = (x - one).apply("sqrt"), (x + one).apply("sqrt")
    return is_large.select(large, (below * (above + below)).apply("log_plus_one"))


def asinh(x: Expression) -> Expression:
    """`sign(x) log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))`; of large numbers, `log(2) + log|x|`."""
    sign, magnitude = x.apply("sign"), abs(x)
    is_large = magnitude >= largest(x).apply("sqrt")
    large = x.like(2.0).apply("log") + magnitude.apply("log")
    square = magnitude * magnitude
    one = x.like(1.0)
    root = (one + square).apply("sqrt")
    small = (magnitude + square / (one + root)).apply("log_plus_one")
    return sign * is_large.select(large, small)


def atanh(x: Expression) -> Expression:
    """`(log1p(x) - log1p(-x)) / 2`; NaN outside of [-1, 1]."""
    is_outside = abs(x) > 1.0
    nan = x.like(float("nan"))
    rising = x.apply("log_plus_one")
    falling = (-x).apply("log_plus_one")
    return is_outside.select(nan, (rising - falling) * 0.5)
