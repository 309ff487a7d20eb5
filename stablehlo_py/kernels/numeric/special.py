"""Special functions of real numbers, by series and rational approximations.

Functions take an array of f32 or f64 and return one of the same type. They compute in f64 and NumPy's long
double, so that rounding is nearly always exact; where long double is not wider, the last digit may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps

import numpy as np

from stablehlo_py.kernels.registry import Array

Coefficients = Sequence[float]

WIDER = {np.dtype(np.float32): np.float64, np.dtype(np.float64): np.longdouble}
_BLOCK = 1 << 15  # elements per step, so that intermediates stay in cache


def in_wider(function: Callable[..., Array]) -> Callable[..., Array]:
    """Wrap a function that computes on vectors of the next wider format, for arrays of f32 or f64."""

    @wraps(function)
    def call(*arrays: Array) -> Array:
        given = arrays[0].dtype
        spread = np.broadcast_arrays(*arrays)
        result = np.empty(spread[0].shape, given)
        inputs, output = [x.reshape(-1) for x in spread], result.reshape(-1)
        for at in range(0, result.size, _BLOCK):
            block = slice(at, at + _BLOCK)
            output[block] = function(*[x[block].astype(WIDER[given]) for x in inputs])
        return result

    return call


def piecewise(pieces: Iterable[tuple[Array, Callable[..., Array]]], *arrays: Array) -> Array:
    """Apply a function to the elements of each mask; NaN where no mask holds.

    Args:
        pieces: Boolean masks, each with a function of the masked elements.
        arrays: The arguments, of one shape.

    Returns:
        An array of the same shape.
    """
    result = np.full_like(arrays[0], np.nan)
    for where, function in pieces:
        places = np.flatnonzero(where)
        if len(places) == where.size:
            return function(*arrays)
        if len(places):
            result[places] = function(*[x[places] for x in arrays])
    return result


def polynomial(x: Array, coefficients: Coefficients) -> Array:
    """Evaluate a polynomial by Horner's scheme, with the highest coefficient first."""
    result = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result *= x
        result += coefficient
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


@in_wider
def erf(x: Array) -> Array:
    """Return the error function."""
    near = np.abs(x) <= 1
    return piecewise([(near, _erf_near), (~near, _erf_far)], x)


def _erf_near(x: Array) -> Array:
    square = x * x
    return x * polynomial(square, _ERF_T) / polynomial(square, _ERF_U)


def _erf_far(x: Array) -> Array:
    found: Array = np.copysign(1 - _erfc_far(np.abs(x)), x)
    return found


@in_wider
def erfc(x: Array) -> Array:
    """Return `1 - erf(x)`, without cancellation."""
    return _erfc(x)


def _erfc(x: Array) -> Array:
    near = np.abs(x) <= 1
    return piecewise(
        [(near, lambda x: 1 - _erf_near(x)), (x > 1, _erfc_far), (x < -1, lambda x: 2 - _erfc_far(-x))], x
    )


def _erfc_far(x: Array) -> Array:
    """Return erfc of numbers >= 1."""
    safe = np.minimum(x, 30)
    return _exp_minus_square(safe) * piecewise([(safe < 8, _scaled_middle), (safe >= 8, _scaled_high)], safe)


def _scaled_middle(x: Array) -> Array:
    return polynomial(x, _ERFC_P) / polynomial(x, _ERFC_Q)


def _scaled_high(x: Array) -> Array:
    return polynomial(x, _ERFC_R) / polynomial(x, _ERFC_S)


def _exp_minus_square(x: Array) -> Array:
    """Return `exp(-x*x)`, with the square split in two parts so that its rounding error does not grow."""
    head = x if x.dtype == np.float64 else np.round(x * 256) / 256  # squares of f32 numbers are exact
    found: Array = np.exp(-head * head)
    return found if head is x else found * np.exp(-(x - head) * (x + head))


# The inverse of the error function (M. Giles, Approximating the erfinv function)

_INVERSE_NEAR = (
    -3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18,
    1.115787767802518096e-17, -1.333171662854620906e-16, 2.0972767875968561637e-17,
    6.6376381343583238325e-15, -4.0545662729752068639e-14, -8.1519341976054721522e-14,
    2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08,
    4.2347877827932403518e-07, -1.3654692000834678645e-06, -1.3882523362786468719e-05,
    0.0001867342080340571352, -0.00074070253416626697512, -0.0060336708714301490533,
    0.24015818242558961693, 1.6536545626831027356,
)  # fmt: skip
_INVERSE_MIDDLE = (
    2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
    1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
    2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
    6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
    0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
    -0.0037512085075692412107, 0.005370914553590063617, 1.0052589676941592334,
    3.0838856104922207635,
)  # fmt: skip
_INVERSE_FAR = (
    -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
    -3.7894654401267369937e-09, 7.6157012080783393804e-09, -1.4960026627149240478e-08,
    2.9147953450901080826e-08, -6.7711997758452339498e-08, 2.2900482228026654717e-07,
    -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
    7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026,
    1.0103004648645343977, 4.8499064014085844221,
)  # fmt: skip


@in_wider
def erf_inv(x: Array) -> Array:
    """Return the inverse of the error function; infinite at -1 and 1."""
    size = np.abs(x)
    found = size * _inverse(-np.log((1 - size) * (1 + size)))
    if x.dtype != np.float64:
        found = _corrected(found, size)
    return np.copysign(np.where(size == 1, np.inf, found), x)


def _inverse(w: Array) -> Array:
    return piecewise(
        [
            (w < 6.25, lambda w: polynomial(w - 3.125, _INVERSE_NEAR)),
            ((w >= 6.25) & (w < 16), lambda w: polynomial(np.sqrt(w) - 3.25, _INVERSE_MIDDLE)),
            (w >= 16, lambda w: polynomial(np.sqrt(w) - 5, _INVERSE_FAR)),
        ],
        w,
    )


def _corrected(first: Array, size: Array) -> Array:
    """Apply a step of Newton's method to an approximation with the precision of f64."""
    error = piecewise(
        [
            (size < 0.5, lambda first, size: _erf_near(first) - size),
            (size >= 0.5, lambda first, size: (1 - size) - _erfc(first)),
        ],
        first,
        size,
    )
    half_root_pi = np.sqrt(4 * np.arctan(np.ones((), size.dtype))) / 2
    better: Array = first - error * np.exp(first * first) * half_root_pi
    return better


# The modified Bessel function of order 1 (Chebyshev expansions, as polynomials about the middle of intervals)

_I1E_NEAR = (
    2.378099013943385e-18, -2.833029268376589e-17, 2.928607586792402e-16, -3.1723191900389196e-15,
    3.2959485639293954e-14, -3.246220683975711e-13, 3.036144141872017e-12, -2.6900486332132915e-11,
    2.2506963252043658e-10, -1.772235927094453e-09, 1.3083673037726655e-08, -9.017464477391814e-08,
    5.77398705874917e-07, -3.4157614036829096e-06, 1.8549321661285645e-05, -9.177807183422584e-05,
    0.00041008100096856314, -0.0016371790414129058, 0.005764118820641799, -0.017599211811190854,
    0.045518134956718304, -0.0957721966186677, 0.1460262582806171,
)  # fmt: skip
_I1E_MIDDLE = (
    5.197508964600823e-26, -7.4521285660154975e-25, 8.143396327326889e-24, -1.071183250472437e-22,
    1.3985108531376217e-21, -1.7137727910130783e-20, 2.015329666067341e-19, -2.2803038645080864e-18,
    2.4751895143288284e-17, -2.573487971610349e-16, 2.559714927619858e-15, -2.432471136654497e-14,
    2.2056633107951256e-13, -1.9061733613492452e-12, 1.5685173942274334e-11,
    -1.2280221782765227e-10, 9.144499664050824e-10, -6.4775309752122165e-09, 4.3678863143112876e-08,
    -2.807615730508518e-07, 1.723568691936108e-06, -1.0125454423535951e-05, 5.6991096722616146e-05,
    -0.00030684384339432704, 0.001566727442747862, -0.007375195290084613, 0.028672910730319367,
)  # fmt: skip
_I1E_FAR = (
    5.821679393273399e+18, 8.66681711510311e+16, -1.667593744368608e+17, -2596320657834420.0,
    2238171019068116.5, 38885845696707.03, -19115126120337.855, -418274698304.32404,
    119664389845.4911, 3927584052.8745346, -579647951.6452092, -34365851.72894401,
    1700355.8091966936, 246812.97977883957, 7384.094833090888, -579.0731115016168,
    -100.3759466724738, -11.577447727367897, -1.6779436399217917, -0.3653087379073204,
    -0.12025266919614995, -0.06159788933601801, -0.0561243555415815, -0.15599323509177165,
    0.38939845902587233,
)  # fmt: skip


@in_wider
def bessel_i1e(x: Array) -> Array:
    """Return `exp(-abs(x))` times the modified Bessel function of the first kind of order 1."""
    size = np.abs(x)
    found = piecewise(
        [
            (size <= 3, lambda x: x * polynomial(x - 1.5, _I1E_NEAR)),
            ((size > 3) & (size <= 8), lambda x: x * polynomial(x - 5.5, _I1E_MIDDLE)),
            (size > 8, lambda x: polynomial(1 / x - 0.0625, _I1E_FAR) / np.sqrt(x)),
        ],
        size,
    )
    return np.copysign(found, x)
