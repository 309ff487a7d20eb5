"""Formulas of functions of complex numbers z = x + i y by functions of real numbers.

They avoid overflow and underflow of squares, and cancellation: near zeros of a logarithm, sums are computed
with twice the precision, by Dekker's product and Knuth's two-sum ("A floating-point technique for extending
the available precision", Numerische Mathematik 18, 1971).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from stablehlo_py.transforms.chlo.expression import (
    Expression,
    complex_number,
    hypotenuse,
    is_above,
    largest,
)

_INFINITY = float("inf")
_LARGEST_NORMS = (1e308, 1e38)  # below the largest f64, and the largest f32
_SPLITTERS = (134217729, 4097, 65)  # of f64, f32, f16: 2^(half of the precision) + 1


def exponential(x: Expression, y: Expression) -> Expression:
    """`e^x (cos y + i sin y)`; where e^x overflows, by its root, as the parts may be finite."""
    scale = x.apply("exponential")
    is_huge = scale.equal(_INFINITY)
    root = (x * 0.5).apply("exponential")
    zero, cosine, sine = x.like(0.0), y.apply("cosine"), y.apply("sine")
    real = is_huge.select(root * cosine * root, scale * cosine)
    imag = is_huge.select(root * sine * root, scale * sine)
    return complex_number(real, y.equal(zero).select(zero, imag))


def log(x: Expression, y: Expression) -> Expression:
    """`log|z| + i atan2(y, x)`, near the unit circle by |z|^2 - 1."""
    ax, ay, half = abs(x), abs(y), x.like(0.5)
    splitter = _splitter(x)
    y_high, y_low = _square(y, splitter)
    x_high, x_low = _square(x, splitter)
    is_higher = y_high > x_high
    squares = is_higher.select(y_high, x_high), is_higher.select(x_high, y_high)
    excess = _sum([x.like(-1.0), *squares, y_low, x_low], _error_of_descending)
    near = half * excess.apply("log_plus_one")
    larger, smaller = ax.apply("maximum", ay), ax.apply("minimum", ay)
    ratio = smaller.equal(larger).select(x.like(1.0), smaller / larger)
    far = larger.apply("log") + half * (ratio * ratio).apply("log_plus_one")
    return complex_number((abs(excess) < half).select(near, far), y.apply("atan2", x))


def log_plus_one(x: Expression, y: Expression) -> Expression:
    """`log|z + 1| + i atan2(y, x + 1)`, by log(|z|) if z is large, and elsewhere by |z + 1|^2 - 1."""
    ax, ay, one, half = abs(x), abs(y), x.like(1.0), x.like(0.5)
    following = x + one
    larger, smaller = ax.apply("maximum", ay), ax.apply("minimum", ay)
    ratio = smaller / larger
    square = smaller.equal(larger).select(one, ratio * ratio)
    large = larger.apply("log") + half * square.apply("log_plus_one")
    splitter = _splitter(x)
    y_high, y_low = _square(y, splitter)
    x_high, x_low = _square(x, splitter)
    excess = _sum([x + x, y_high, x_high, y_low, x_low], _error)
    near_minus_one = half * (following * following + y_high).apply("log")
    elsewhere = half * excess.apply("log_plus_one")
    small = (abs(following) + ay < 0.2).select(near_minus_one, elsewhere)
    is_large = larger > largest(x).apply("sqrt") * 0.01
    return complex_number(is_large.select(large, small), y.apply("atan2", following))


def sqrt(x: Expression, y: Expression) -> Expression:
    """`u + i y / 2u` where u^2 is the mean of |z| and |x|, or the parts exchanged if x is negative.

    Where u overflows or underflows, it is computed by the roots of |x| and |y|.
    """
    ax, ay = abs(x), abs(y)
    zero, one, two, root_of_two = (x.like(number) for number in (0.0, 1.0, 2.0, math.sqrt(2)))
    numbers = (zero, one, two, root_of_two)
    root_x, root_y = ax.apply("sqrt"), ay.apply("sqrt")
    is_diagonal, is_flat, is_steep = ax.equal(ay), ax > ay, ax < ay
    general = (hypotenuse(ax, ay, numbers) / two + ax / two).apply("sqrt")
    is_extreme = general.equal(zero) | general.equal(_INFINITY)
    ratio = is_diagonal.select(one, is_steep.select(ax / ay, ay / ax))
    hypot = hypotenuse(one, abs(ratio), numbers)
    flat, steep = (one + hypot).apply("sqrt"), (ratio + hypot).apply("sqrt")
    extreme = is_flat.select(root_x * (flat / root_of_two), root_y * (steep / root_of_two))
    diagonal = root_x * math.sqrt(1 + math.sqrt(2)) / root_of_two
    u = is_diagonal.select(diagonal, is_extreme.select(extreme, general))
    ratio_of_roots = is_diagonal.select(one, is_steep.select(root_x / root_y, root_y / root_x))
    extreme = is_flat.select(root_y * ratio_of_roots / (flat * root_of_two), root_y / (steep * root_of_two))
    other = is_extreme.select(extreme, ay / (general * two))
    v = is_diagonal.select(root_y / math.sqrt(2 + 2 * math.sqrt(2)), other)
    is_low = y < zero
    imag = (x < zero).select(is_low.select(-u, u), is_low.select(-v, v))
    return complex_number((x >= zero).select(u, v), imag)


def _splitter(x: Expression) -> Expression:
    return is_above(x, _LARGEST_NORMS, _SPLITTERS)


def _square(x: Expression, splitter: Expression) -> tuple[Expression, Expression]:
    """Return the square of a number, and its rounding error: Dekker's product."""
    scaled = splitter * x
    high = scaled + (x - scaled)
    low = x - high
    mixed, square = high * low, x * x
    return square, -square + high * high + mixed + mixed + low * low


def _sum(terms: Sequence[Expression], error_of: Callable[..., Expression]) -> Expression:
    """Return the sum of terms and of the rounding errors of their sums."""
    total, *others = terms
    errors = None
    for term in others:
        before, total = total, total + term
        error = error_of(before, term, total)
        errors = error if errors is None else errors + error
    return total if errors is None else total + errors


def _error(a: Expression, b: Expression, total: Expression) -> Expression:
    """Return the rounding error of a sum: Knuth's two-sum."""
    rest = total - a
    return (a - (total - rest)) + (b - rest)


def _error_of_descending(a: Expression, b: Expression, total: Expression) -> Expression:
    """Return the rounding error of a sum where |a| >= |b|: Dekker's fast two-sum."""
    return b - (total - a)
