"""Formulas of the inverse trigonometric and hyperbolic functions of real numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from stablehlo_py.ir.element_types import value_range
from stablehlo_py.ir.types import FloatType
from stablehlo_py.transforms.chlo.expression import Expression


def of_real(formula: Callable[[Expression], Expression]) -> Callable[[Expression], Expression | None]:
    """Return a formula that does not apply (None) to complex numbers."""

    def apply(x: Expression) -> Expression | None:
        return formula(x) if isinstance(x.element, FloatType) else None

    return apply


def acos(x: Expression) -> Expression:
    """`2 atan2(sqrt(1 - x^2), 1 + x)`, in factors that do not cancel; pi at -1, where both are 0."""
    one = x.like(1.0)
    differs = x.unequal(-1.0)
    root = ((one - x) * (one + x)).apply("sqrt")
    angle = x.like(2.0) * root.apply("atan2", one + x)
    return differs.select(angle, math.pi)


def asin(x: Expression) -> Expression:
    """`2 atan2(x, 1 + sqrt(1 - x^2))`, in factors that do not cancel."""
    one = x.like(1.0)
    root = ((one - x) * (one + x)).apply("sqrt")
    return x.like(2.0) * x.apply("atan2", one + root)


def atan(x: Expression) -> Expression:
    """`atan2(x, 1)`."""
    return x.apply("atan2", 1.0)


def acosh(x: Expression) -> Expression:
    """`log1p(sqrt(x - 1) (sqrt(x + 1) + sqrt(x - 1)))`; of large numbers, `log(2) + log(x)`."""
    is_large = x >= _largest(x) / x.like(2.0)
    large = x.like(2.0).apply("log") + x.apply("log")
    one = x.like(1.0)
    below, above = (x - one).apply("sqrt"), (x + one).apply("sqrt")
    return is_large.select(large, (below * (above + below)).apply("log_plus_one"))


def asinh(x: Expression) -> Expression:
    """`sign(x) log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))`; of large numbers, `log(2) + log|x|`."""
    sign, magnitude = x.apply("sign"), abs(x)
    is_large = magnitude >= _largest(x).apply("sqrt")
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


def _largest(x: Expression) -> Expression:
    return x.like(float(value_range(x.element)[1]))
