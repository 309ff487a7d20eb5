"""Special functions of real numbers, by series and rational approximations.

Each takes an array of f32 or f64 (zeta and polygamma: two) and gives one of the same type. All but
erf_inv compute in f64, whose rounding to f32 is then nearly always exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps

import numpy as np
from numpy.polynomial.chebyshev import chebval

from stablehlo_py.kernels.registry import Array

Coefficients = Sequence[float]


def in_f64(function: Callable[..., Array]) -> Callable[..., Array]:
    """`function`, which computes on f64, for f32 as well."""

    @wraps(function)
    def call(*arrays: Array) -> Array:
        return function(*[x.astype(np.float64) for x in arrays]).astype(arrays[0].dtype)

    return call


def polynomial(x: Array, coefficients: Coefficients) -> Array:
    """The polynomial of `x` with the highest coefficient first."""
    kind = x.dtype.type
    result = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result = result * x + kind(coefficient)
    return result


# The error function (S. L. Moshier, Cephes: rational approximations on [0, 1], [1, 8] and above)

_ERF_T = (
    9.60497373987051638749,
    90.0260197203842689217,
    2232.00534594684319226,
    7003.32514112805075473,
    55592.3013010394962768,
)
_ERF_U = (
    1.0,
    33.5617141647503099647,
    521.357949780152679795,
    4594.32382970980127987,
    22629.0000613890934246,
    49267.3942608635921086,
)
_ERFC_P = (
    2.46196981473530512524e-10,
    0.564189564831068821977,
    7.46321056442269912687,
    48.6371970985681366614,
    196.520832956077098242,
    526.445194995477358631,
    934.528527171957607540,
    1027.55188689515710272,
    557.535335369399327526,
)
_ERFC_Q = (
    1.0,
    13.2281951154744992508,
    86.7072140885989742329,
    354.937778887819891062,
    975.708501743205489753,
    1823.90916687909736289,
    2246.33760818710981792,
    1656.66309194161350182,
    557.535340817727675546,
)
_ERFC_R = (
    0.564189583547755073984,
    1.27536670759978104416,
    5.01905042251180477414,
    6.16021097993053585195,
    7.40974269950448939160,
    2.97886665372100240670,
)
_ERFC_S = (
    1.0,
    2.26052863220117276590,
    9.39603524938001434673,
    12.0489539808096656605,
    17.0814450747565897222,
    9.60896809063285878198,
    3.36907645100081516050,
)


@in_f64
def erf(x: Array) -> Array:
    """The error function."""
    return np.where(np.abs(x) <= 1, _erf_near(x), np.copysign(1 - _erfc_far(np.abs(x)), x))


@in_f64
def erfc(x: Array) -> Array:
    """`1 - erf(x)`, without cancellation."""
    far = _erfc_far(np.abs(x))
    return np.where(np.abs(x) <= 1, 1 - _erf_near(x), np.where(x < 0, 2 - far, far))


def _erf_near(x: Array) -> Array:
    square = x * x
    return x * polynomial(square, _ERF_T) / polynomial(square, _ERF_U)


def _erfc_far(x: Array) -> Array:
    """erfc of numbers from 1."""
    safe = np.clip(x, 1, 30)
    middle = polynomial(safe, _ERFC_P) / polynomial(safe, _ERFC_Q)
    high = polynomial(safe, _ERFC_R) / polynomial(safe, _ERFC_S)
    return np.where(np.isnan(x), x, _exp_minus_square(safe) * np.where(safe < 8, middle, high))


def _exp_minus_square(x: Array) -> Array:
    """`exp(-x*x)`, where the square is taken in two parts so that its rounding does not grow."""
    head = np.round(x * 256) / 256
    return np.exp(-head * head) * np.exp(-(x - head) * (x + head))


# The inverse of the error function (M. Giles, Approximating the erfinv function)

_INVERSE_32 = (
    (2.5, (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
           -0.00125372503, -0.00417768164, 0.246640727, 1.50140941)),
    (3.0, (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
           -0.0076224613, 0.00943887047, 1.00167406, 2.83297682)),
)  # fmt: skip
_INVERSE_64_NEAR = (
    -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18,
    1.115787767802518096e-17, -1.333171662854620906e-16, 2.0972767875968561637e-17,
    6.6376381343583238325e-15, -4.0545662729752068639e-14, -8.1519341976054721522e-14,
    2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08,
    4.2347877827932403518e-07, -1.3654692000834678645e-06, -1.3882523362786468719e-05,
    0.0001867342080340571352, -0.00074070253416626697512, -0.0060336708714301490533,
    0.24015818242558961693, 1.6536545626831027356,
)  # fmt: skip
_INVERSE_64_MIDDLE = (
    2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
    1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
    2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
    6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
    0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
    -0.0037512085075692412107, 0.005370914553590063617, 1.0052589676941592334,
    3.0838856104922207635,
)  # fmt: skip
_INVERSE_64_FAR = (
    -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
    -3.7894654401267369937e-09, 7.6157012080783393804e-09, -1.4960026627149240478e-08,
    2.9147953450901080826e-08, -6.7711997758452339498e-08, 2.2900482228026654717e-07,
    -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
    7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026,
    1.0103004648645343977, 4.8499064014085844221,
)  # fmt: skip


def erf_inv(x: Array) -> Array:
    """The number whose error function is `x`; infinite at -1 and 1."""
    w = -np.log1p(-x * x)
    found = x * (_inverse_32(w) if x.dtype == np.float32 else _inverse_64(w))
    return np.where(np.abs(x) == 1, x * x.dtype.type(np.inf), found)


def _inverse_32(w: Array) -> Array:
    (near, below), (far, above) = _INVERSE_32
    low = polynomial(w - np.float32(near), below)
    is_far = w >= 5
    if not is_far.any():
        return low
    return np.where(is_far, polynomial(np.sqrt(w) - np.float32(far), above), low)


def _inverse_64(w: Array) -> Array:
    root = np.sqrt(w)
    far = np.where(w < 16, polynomial(root - 3.25, _INVERSE_64_MIDDLE), polynomial(root - 5, _INVERSE_64_FAR))
    return np.where(w < 6.25, polynomial(w - 3.125, _INVERSE_64_NEAR), far)


# The gamma function (C. Lanczos's approximation with g = 7 and eight terms)

_LANCZOS_G = 7.0
_LANCZOS_BASE = 0.99999999999980993227684700473478
_LANCZOS = (
    676.520368121885098567009190444019,
    -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,
    -176.61502916214059906584551354,
    12.507343278686904814458936853,
    -0.13857109526572011689554707,
    9.984369578019570859563e-6,
    1.50563273514931155834e-7,
)


@in_f64
def lgamma(x: Array) -> Array:
    """The logarithm of the absolute value of the gamma function; infinite at 0, -1, -2, ..."""
    reflected = x < 0.5
    z = np.where(reflected, -x, x - 1)
    total = np.full_like(z, _LANCZOS_BASE)
    for index, coefficient in enumerate(_LANCZOS):
        total = total + coefficient / (z + index + 1)
    t = z + (_LANCZOS_G + 0.5)
    log_t = np.log(_LANCZOS_G + 0.5) + np.log1p(z / (_LANCZOS_G + 0.5))
    right = 0.5 * np.log(2 * np.pi) + (z + 0.5 - t / log_t) * log_t + np.log(total)
    fraction = np.abs(x) - np.floor(np.abs(x))
    fraction = np.where(fraction > 0.5, 1 - fraction, fraction)
    sine = np.log(np.sin(np.pi * fraction))
    left = np.where(np.isfinite(sine), np.log(np.pi) - sine - right, -sine)
    return np.where(np.isinf(x), np.inf, np.where(reflected, left, right))


@in_f64
def digamma(x: Array) -> Array:
    """The derivative of the logarithm of the gamma function; NaN at 0, -1, -2, ..."""
    reflected = x < 0.5
    z = np.where(reflected, -x, x - 1)
    numerator = np.zeros_like(z)
    total = np.full_like(z, _LANCZOS_BASE)
    for index, coefficient in enumerate(_LANCZOS):
        term = z + index + 1
        numerator = numerator - coefficient / (term * term)
        total = total + coefficient / term
    t = z + (_LANCZOS_G + 0.5)
    log_t = np.log(_LANCZOS_G + 0.5) + np.log1p(z / (_LANCZOS_G + 0.5))
    right = log_t + numerator / total - _LANCZOS_G / t
    offset = x + np.abs(np.floor(x + 0.5))
    left = right - np.pi * np.cos(np.pi * offset) / np.sin(np.pi * offset)
    pole = (x <= 0) & (x == np.floor(x))
    return np.where(pole, np.nan, np.where(reflected, left, right))


# The Hurwitz zeta function (Euler-Maclaurin summation) and the derivatives of digamma

_ZETA_TERMS = 9
_ZETA_DIVISORS = (
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1892437580.3183791606,
    74724249600.0,
    -2950130727918.1642245,
    116467828143500.67249,
    -4597978722407472.6105,
    181521054019435467.73,
    -7166165256175667011.3,
)


@in_f64
def zeta(x: Array, q: Array) -> Array:
    """The sum of `(q + n)^-x` over n >= 0; infinite for x = 1, NaN for x < 1."""
    base = q
    total = np.power(q, -x)
    for _ in range(_ZETA_TERMS):
        base = base + 1
        total = total + np.power(base, -x)
    last = np.power(base, -x)
    total = total + last * base / (x - 1) - last * 0.5
    factor, power = x, last / base
    for index, divisor in enumerate(_ZETA_DIVISORS):
        total = total + factor * power / divisor
        factor = factor * (x + 2 * index + 1) * (x + 2 * index + 2)
        power = power / (base * base)
    pole = (q <= 0) & (q == np.floor(q))
    undefined = (x < 1) | ((q <= 0) & (x != np.floor(x)))
    even = x == 2 * np.floor(x / 2)
    at_pole = np.where(even, np.inf, np.nan)
    return np.where(x == 1, np.inf, np.where(pole & (x > 1), at_pole, np.where(undefined, np.nan, total)))


@in_f64
def polygamma(n: Array, x: Array) -> Array:
    """The n-th derivative of digamma; NaN where n is not an integer from 0."""
    sign = np.where(n == 2 * np.floor(n / 2), -1.0, 1.0)
    found = sign * np.exp(lgamma(n + 1)) * zeta(n + 1, x)
    found = np.where(n == 0, digamma(x), found)
    return np.where((n < 0) | (n != np.floor(n)), np.nan, found)


# The modified Bessel function of order 1 (expansions in Chebyshev polynomials)

_I1E_NEAR = (
    0.126293593221816827,
    -0.176416518357834055,
    0.102643658689847095,
    -0.0529459812080949914,
    0.0247264490306265168,
    -0.0105640848946261982,
    0.00415642294431288816,
    -0.00151357245063125315,
    0.000512285956168575773,
    -0.000161760815825896746,
    0.0000478156510755005423,
    -0.0000132731636560394358,
    3.47025130813767848e-6,
    -8.56872026469545474e-7,
    2.00329475355213526e-7,
    -4.44505912879632808e-8,
    9.38153738649577178e-9,
    -1.88724975172282929e-9,
    3.62559028155211704e-10,
    -6.66348972350202774e-11,
    1.17361862988909016e-11,
    -1.98397439776494372e-12,
    3.22379336594557471e-13,
    -5.04218550472791169e-14,
    7.60068429473540693e-15,
    -1.10559694773538631e-15,
    1.55363195773620047e-16,
    -2.11142121435816608e-17,
    2.77791411276104637e-18,
    -3.54158177254213621e-19,
)
_I1E_FAR = (
    0.38928811750914006,
    -0.00976109749136146841,
    -0.000110588938762623716,
    -3.88256480887769039e-6,
    -2.51223623787020893e-7,
    -2.63146884688951951e-8,
    -3.83538038596423702e-9,
    -5.58974346219658381e-10,
    -1.89749581235054123e-11,
    3.25260358301548824e-11,
    1.41258074366137813e-11,
    2.03562854414708951e-12,
    -7.19855177624590851e-13,
    -4.08355111109219732e-13,
    -2.10154184277266431e-14,
    4.27244001671195135e-14,
    1.04202769841288028e-14,
    -3.8144030724370078e-15,
    -1.88035477551078245e-15,
    3.30820231092092828e-16,
    2.96262899764595014e-16,
    -3.20952592199342396e-17,
    -4.65030536848935833e-17,
    4.41434832307170795e-18,
    7.51729631084210481e-18,
    -9.31417886732688338e-19,
)


@in_f64
def bessel_i1e(x: Array) -> Array:
    """`exp(-abs(x))` times the modified Bessel function of the first kind of order 1."""
    size = np.abs(x)
    near = size * chebval(np.minimum(size, 8) / 4 - 1, _I1E_NEAR)
    safe = np.maximum(size, 8)
    far = chebval(16 / safe - 1, _I1E_FAR) / np.sqrt(safe)
    return np.copysign(np.where(size <= 8, near, far), x)
