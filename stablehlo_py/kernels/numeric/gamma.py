"""The logarithm of the gamma function, its derivatives, and the Hurwitz zeta function.

Near the zeros of lgamma (1 and 2) and of digamma, a polynomial is multiplied by the distances from the zeros,
to avoid cancellation (Chebyshev expansions, as polynomials about the middle of their intervals). All
functions compute in a wider format than that of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from stablehlo_py.kernels.numeric.coefficients import ZETA_DIVISORS
from stablehlo_py.kernels.numeric.special import Coefficients, in_wider, piecewise, polynomial
from stablehlo_py.kernels.registry import Array

# lgamma(x) / ((x - 1) * (x - 2)), about 1, 2.25 and 5.5, up to 1.5, 3 and 8

_NEAR_1 = (
    -0.12377530489873143, 0.12722725319994796, 0.1166717389793852, -0.11970636466044675,
    -0.10144029292346986, 0.1043262791094328, 0.014456309990167747, -0.01460647117703716,
    -0.029449196711524583, 0.030557352459528463, -0.020461562538213088, 0.02144708975655979,
    -0.024621091496656814, 0.02587605846257271, -0.026982377330785456, 0.02852263268232074,
    -0.030277485637609333, 0.0322272187854953, -0.034443289115914544, 0.036989460411935106,
    -0.039942959840091226, 0.04341088781498061, -0.047543132848736035, 0.052556324495963494,
    -0.05877794128964749, 0.06673172823749254, -0.07731816853255884, 0.09223900846483143,
    -0.1151465425638335, 0.1554342658639511, -0.24525136852258037, 0.5772156649015329,
)  # fmt: skip
_NEAR_2 = (
    1.2701473122197385e-10, -2.9617999995623383e-10, 2.450443873796012e-10, -5.759379981992251e-10,
    2.047040300490901e-09, -4.811589665662609e-09, 1.0714889254575289e-08, -2.5312806633668628e-08,
    6.030799817585908e-08, -1.432418351423157e-07, 3.4120741685726867e-07, -8.16157828236717e-07,
    1.9607608267488914e-06, -4.734569395282115e-06, 1.1502006278941096e-05, -2.8149286577017238e-05,
    6.952278870692848e-05, -0.0001737093178731965, 0.0004406567324871277, -0.0011409865899979794,
    0.0030411186578903795, -0.008464024993575396, 0.02526835495928883, -0.08588084755126099,
    0.3995894876556691,
)  # fmt: skip
_MIDDLE = (
    3.5088315475084426e-21, -1.9862754587661375e-20, -3.548166394607076e-20, 1.9957759245836925e-19,
    1.652522269809504e-18, -9.39017945812757e-18, 2.2951203972615676e-17, -1.3192219750132048e-16,
    9.77452853420437e-16, -5.62099336765796e-15, 3.135152430370964e-14, -1.8141166195287372e-13,
    1.0568316939955174e-12, -6.159186802117396e-12, 3.604863454528877e-11, -2.121472546105183e-10,
    1.2562770883436364e-09, -7.494727564940674e-09, 4.511797986220559e-08, -2.7466363822212646e-07,
    1.695914421664165e-06, -1.0666564634326884e-05, 6.878711595732616e-05, -0.00045975358502285007,
    0.0032484062986839254, -0.02534762267891016, 0.25128977572182326,
)  # fmt: skip

# Stirling's series: B(2k) / (2k * (2k - 1)), highest first; digamma's has B(2k) / 2k

_STIRLING = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
_ASYMPTOTIC = (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)
_SHIFT = {np.dtype(np.float64): 8, np.dtype(np.longdouble): 16}  # argument from which the series converges

# digamma(x) / (x - root), about 1.5, from 1 to 2; the root as a sum of two parts

_ROOT = (1.4616321449683622, 9.549995429965697e-17)
_DIGAMMA = (
    -3.8404871886247865e-05, 5.760733165650469e-05, -2.4003140242172778e-05, 3.6004820592182e-05,
    -9.886319672191785e-05, 0.00014829551214596122, -0.00020367393027292597, 0.0003055153691686416,
    -0.0004633503182120855, 0.0006950534878525842, -0.0010417276046921164, 0.001562767047702334,
    -0.0023447062072326453, 0.0035181642624636934, -0.005280013938669931, 0.007927018244615596,
    -0.011908215342754594, 0.01790724845122512, -0.02697579683987635, 0.04076083393802805,
    -0.061922133271715786, 0.09498872445291809, -0.1484049230539173, 0.2405424842407869,
    -0.42362742128146047, 0.9510558760318328,
)  # fmt: skip


@in_wider
def lgamma(x: Array) -> Array:
    """Return the logarithm of the absolute value of the gamma function; infinite at 0, -1, -2, ..."""
    return piecewise([(x >= 0, _lgamma_positive), (x < 0, _lgamma_negative)], x) + 0  # not -0 at 1


def _lgamma_negative(x: Array) -> Array:
    """Return lgamma of negative numbers, by reflection."""
    size = -x
    fraction = size - np.floor(size)
    sine = np.sin(_pi(x) * np.minimum(fraction, 1 - fraction))
    found = np.log(_pi(x) / (size * sine)) - _lgamma_positive(size)
    return np.where((fraction == 0) | np.isinf(x), np.inf, found)


def _lgamma_positive(x: Array) -> Array:
    return piecewise(
        [
            (x < 0.5, lambda x: x * (x - 1) * polynomial(x, _NEAR_1) - np.log(x)),
            ((x >= 0.5) & (x < 1.5), lambda x: _between_zeros(x, x - 1, _NEAR_1)),
            ((x >= 1.5) & (x < 3), lambda x: _between_zeros(x, x - 2.25, _NEAR_2)),
            ((x >= 3) & (x < 8), lambda x: _between_zeros(x, x - 5.5, _MIDDLE)),
            (x >= 8, _stirling),
        ],
        x,
    )


def _between_zeros(x: Array, distance: Array, coefficients: Coefficients) -> Array:
    """Return lgamma from the distances from its zeros 1 and 2, and from the middle of an interval."""
    found: Array = (x - 1) * (x - 2) * polynomial(distance, coefficients)
    return found


def _stirling(x: Array) -> Array:
    """Return lgamma of large numbers by Stirling's series."""
    half_log = np.log(2 * _pi(x)) / 2
    found: Array = (x - 0.5) * np.log(x) - x + half_log + polynomial(1 / (x * x), _STIRLING) / x
    return np.where(x == np.inf, x, found)


def _pi(x: Array) -> Array:
    return 4 * np.arctan(np.ones((), x.dtype))


@in_wider
def digamma(x: Array) -> Array:
    """Return the derivative of the logarithm of the gamma function; NaN at 0, -1, -2, ..."""
    return _digamma(x)


def _digamma(x: Array) -> Array:
    return piecewise([(x > 0, _digamma_positive), (x < 0, _digamma_negative)], x)


def _digamma_negative(x: Array) -> Array:
    """Return digamma of negative numbers, by reflection."""
    fraction = x - np.rint(x)  # exact, even near a pole
    found = _digamma_positive(1 - x) - _pi(x) / np.tan(_pi(x) * fraction)
    return np.where(fraction == 0, np.nan, found)


def _digamma_positive(x: Array) -> Array:
    near, shift = (x >= 1) & (x <= 2), _SHIFT[x.dtype]
    return piecewise(
        [
            (near, _digamma_near_root),
            ((x < shift) & ~near, lambda x: _digamma_large(x + shift) - _reciprocals(x, shift)),
            (x >= shift, _digamma_large),
        ],
        x,
    )


def _digamma_near_root(x: Array) -> Array:
    distance = (x - _ROOT[0]) - _ROOT[1]
    return distance * polynomial(x - 1.5, _DIGAMMA)


def _digamma_large(x: Array) -> Array:
    found: Array = np.log(x) - 1 / (2 * x) - polynomial(1 / (x * x), _ASYMPTOTIC) / (x * x)
    return found


def _reciprocals(x: Array, count: int) -> Array:
    """Return the sum of `1 / (x + k)` for k < count, as one fraction."""
    above, below = np.ones_like(x), x.copy()
    for k in range(1, count):
        term = x + k
        above *= term
        above += below
        below *= term
    return above / below


# The Hurwitz zeta function (Euler-Maclaurin summation) and the derivatives of digamma

_ZETA_TERMS = 9


@in_wider
def zeta(x: Array, q: Array) -> Array:
    """Return the Hurwitz zeta function: the sum of `(q + n)^-x` over n >= 0.

    Infinite for x = 1, and at poles (q = 0, -1, ..) for even x; NaN at other poles, and elsewhere for x < 1.

    Args:
        x: Exponents, f32 or f64.
        q: Offsets, of the same type and shape.
    """
    return _zeta(x, q)


def _zeta(x: Array, q: Array) -> Array:
    above, finite = x > 1, np.isfinite(x)
    pole = (x != 1) & (q <= 0) & (q == np.floor(q))
    whole = (q > 0) | (x == np.floor(x))  # where powers of negative numbers are real
    return piecewise(
        [
            (above & (q > 0) & finite, lambda x, q: _euler_maclaurin(x, q, _positive_power)),
            (above & (q < 0) & finite & whole & ~pole, _zeta_negative),
            (above & ~finite & ~pole, lambda x, q: _euler_maclaurin(x, q, np.power)),
            (pole, lambda x, q: np.where(np.fmod(x, 2) == 0, np.inf, np.nan)),
            (x == 1, lambda x, q: np.full_like(x, np.inf)),
        ],
        x,
        q,
    )


def _zeta_negative(x: Array, q: Array) -> Array:
    """Return zeta for integer `x` and negative `q`: up to sign, negative terms are sums of positive ones."""

    def positive(q: Array) -> Array:
        return _euler_maclaurin(x, q, _positive_power)

    above, below = q - np.floor(q), np.ceil(q) - q  # distances from the poles
    sign = np.where(np.fmod(x, 2) == 0, 1, -1)
    found: Array = (positive(above) + sign * positive(below)) - sign * positive(1 - q)  # cancels first
    return found


def _positive_power(base: Array, exponent: Array) -> Array:
    """Return a power of a positive number; faster than `np.power`, and exact enough in the wider format."""
    found: Array = np.exp(exponent * np.log(base))
    return found


def _euler_maclaurin(x: Array, q: Array, power_of: Callable[[Array, Array], Array]) -> Array:
    base = q
    last = power_of(q, -x)
    total: Array = last
    for _ in range(_ZETA_TERMS):
        base = base + 1
        last = power_of(base, -x)
        total = total + last
    total = total + last * base / (x - 1) - last * 0.5
    term, factor = x * last / base, 1 / (base * base)
    for index, divisor in enumerate(ZETA_DIVISORS):
        total += term * (1 / divisor)
        term *= x + (2 * index + 1)
        term *= x + (2 * index + 2)
        term *= factor
    return total


@in_wider
def polygamma(n: Array, x: Array) -> Array:
    """Return the n-th derivative of digamma; NaN where n is not an integer >= 0.

    Args:
        n: Orders, f32 or f64.
        x: Arguments, of the same type and shape.
    """
    derivative = (n > 0) & (n == np.floor(n)) & np.isfinite(n)
    return piecewise([(n == 0, lambda n, x: _digamma(x)), (derivative, _derivative)], n, x)


def _derivative(n: Array, x: Array) -> Array:
    sign = np.where(n == 2 * np.floor(n / 2), -1.0, 1.0)
    table = _factorials()
    factorial = table[np.minimum(n, len(table) - 1).astype(np.intp)].astype(n.dtype)
    found: Array = sign * factorial * _zeta(n + 1, x)
    return found


@cache
def _factorials() -> Array:
    """Return the factorials that long double can represent, and infinity."""
    numbers = np.arange(1756, dtype=np.longdouble)
    numbers[0] = 1
    return np.cumprod(numbers)
