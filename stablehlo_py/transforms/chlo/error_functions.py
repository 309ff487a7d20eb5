"""Formulas of `chlo.erf`, `chlo.erfc`, `chlo.erf_inv` and `chlo.bessel_i1e`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablehlo_py.kernels.numeric import coefficients as shared
from stablehlo_py.transforms.chlo import coefficients as table
from stablehlo_py.transforms.chlo.expression import F32, F64, Expression, at_least, chebyshev, polynomial

_MAX_LOG_F32 = 88.72283905206835  # log of the largest number
_MAX_LOG_F64 = 7.09782712893383996843e2


def erf(x: Expression) -> Expression:
    """The error function."""
    return _by_width(x, _erf_f32, _erf_f64)


def erfc(x: Expression) -> Expression:
    """The complementary error function, `1 - erf(x)`."""
    return _by_width(x, _erfc_f32, _erfc_f64)


def erf_inv(x: Expression) -> Expression:
    """The inverse of the error function; infinities at -1 and 1."""
    return _by_width(x, _erf_inv_f32, _erf_inv_f64)


def bessel_i1e(x: Expression) -> Expression:
    """The exponentially scaled modified Bessel function of order 1."""

    def in_f32(x: Expression) -> Expression:
        return _bessel_i1e(x, table.BESSEL_SMALL_F32, table.BESSEL_LARGE_F32)

    def in_f64(x: Expression) -> Expression:
        return _bessel_i1e(x, table.BESSEL_SMALL_F64, table.BESSEL_LARGE_F64)

    return _by_width(x, in_f32, in_f64)


def _by_width(
    x: Expression,
    in_f32: Callable[[Expression], Expression],
    in_f64: Callable[[Expression], Expression],
) -> Expression:
    """Apply the formula for f64, or that for f32 to f32 and narrower types."""
    if x.element is F64:
        return in_f64(x)
    wide, own = at_least(x, F32)
    return in_f32(wide).convert(own)


def _erf_f32(x: Expression) -> Expression:
    low, high = x.like(-4.0), x.like(4.0)
    x = low.apply("clamp", x, high, type=x.value.type)
    square = x * x
    alpha, beta = polynomial(square, table.ERF_ALPHA_F32), polynomial(square, table.ERF_BETA_F32)
    ratio = x * alpha / beta
    return x.like(-1.0).apply("clamp", ratio, x.like(1.0), type=x.value.type)


def _erfc_f32(x: Expression) -> Expression:
    outer = _outer_erfc_f32(x)
    one = x.like(1.0)
    inner = one - x * polynomial(x * x, table.ERF_T_F32)
    return (abs(x) < one).select(inner, outer)


def _outer_erfc_f32(x: Expression) -> Expression:
    """`erfc` for |x| >= 1."""
    square = x * x
    z = -square
    magnitude = abs(x)
    one = x.like(1.0)
    inverse = one / square
    scale = z.apply("exponential") * (one / magnitude)
    two = x.like(2.0)
    is_small = magnitude < two
    small, large = polynomial(inverse, table.ERFC_P_F32), polynomial(inverse, table.ERFC_R_F32)
    return _mirrored(x, z, scale * is_small.select(small, large), _MAX_LOG_F32, two)


def _mirrored(
    x: Expression, z: Expression, value: Expression, max_log: float, two: Expression | None = None
) -> Expression:
    """Return `erfc` from `erfc` of the magnitude: 0 where `exp(z)` underflows, `2 - erfc(-x)` for x < 0."""
    underflows = z < -max_log
    zero = x.like(0.0)
    value = underflows.select(zero, value)
    is_negative = x < zero
    return is_negative.select((x.like(2.0) if two is None else two) - value, value)


def _erf_f64(x: Expression) -> Expression:
    inner = _inner_erf_f64(x)
    one = x.like(1.0)
    outer = one - _outer_erfc_f64(x)
    return (abs(x) < one).select(inner, outer)


def _erfc_f64(x: Expression) -> Expression:
    outer = _outer_erfc_f64(x)
    one = x.like(1.0)
    inner = one - _inner_erf_f64(x)
    return (abs(x) < one).select(inner, outer)


def _inner_erf_f64(x: Expression) -> Expression:
    """`erf` for |x| < 1."""
    square = x * x
    numerator = x * polynomial(square, shared.ERF_T)
    return numerator / polynomial(square, shared.ERF_U)


def _outer_erfc_f64(x: Expression) -> Expression:
    """`erfc` for |x| >= 1."""
    z = -(x * x)
    scale = z.apply("exponential")
    magnitude = abs(x)
    small = scale * polynomial(magnitude, shared.ERFC_P)
    small = small / polynomial(magnitude, shared.ERFC_Q)
    large = scale * polynomial(magnitude, shared.ERFC_R)
    large = large / polynomial(magnitude, shared.ERFC_S)
    value = (magnitude < 8.0).select(small, large)
    return _mirrored(x, z, value, _MAX_LOG_F64)


def _erf_inv_f32(x: Expression) -> Expression:
    w = _minus_log_of_rest(x)
    is_central = w < 5.0
    rows = list(zip(shared.ERF_INV_NEAR_F32, shared.ERF_INV_FAR_F32, strict=True))
    center = w - 2.5
    tail = w.apply("sqrt") - 3.0
    w = is_central.select(center, tail)
    p = is_central.select(x.like(rows[0][0]), rows[0][1])
    for inner, outer in rows[1:]:
        coefficient = is_central.select(x.like(inner), outer)
        p = coefficient + p * w
    return _infinite_at_one(x, p * x)


def _erf_inv_f64(x: Expression) -> Expression:
    w = _minus_log_of_rest(x)
    is_center, is_inner = w < 6.25, w < 16.0
    root = w.apply("sqrt")
    center = w - 3.125
    shift = is_inner.select(w.like(3.25), 5.0)
    outside = root - shift
    w = is_center.select(center, outside)

    def coefficient(index: int) -> Expression:
        found = x.like(shared.ERF_INV_NEAR[index])
        if index < len(shared.ERF_INV_MIDDLE):
            found = is_center.select(found, shared.ERF_INV_MIDDLE[index])
        if index < len(shared.ERF_INV_FAR):
            found = is_inner.select(found, shared.ERF_INV_FAR[index])
        return found

    p = coefficient(0)
    for index in range(1, len(shared.ERF_INV_NEAR)):
        value = coefficient(index)
        longer = value + p * w
        if index >= len(shared.ERF_INV_MIDDLE):
            p = is_center.select(longer, p)
        else:
            p = is_inner.select(longer, p) if index >= len(shared.ERF_INV_FAR) else longer
    return _infinite_at_one(x, p * x)


def _minus_log_of_rest(x: Expression) -> Expression:
    """Return `-log(1 - x^2)`."""
    negative = -x
    return -(x * negative).apply("log_plus_one")


def _infinite_at_one(x: Expression, value: Expression) -> Expression:
    return abs(x).equal(1.0).select(x * float("inf"), value)


def _bessel_i1e(x: Expression, small: Sequence[float], large: Sequence[float]) -> Expression:
    z = abs(x)
    half, two, thirty_two, eight = z.like(0.5), z.like(2.0), z.like(32.0), z.like(8.0)
    inner = z * chebyshev(half * z - two, small)
    outer = chebyshev(thirty_two / z - two, large)
    outer = outer / z.apply("sqrt")
    value = (z <= eight).select(inner, outer)
    return x.apply("sign") * value
