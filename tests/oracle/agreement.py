"""How far our results may be from XLA's, what cannot be compared, and where the two are known to differ."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from elements import smallest_kept

Array = np.ndarray[Any, np.dtype[Any]]


def distance(ours: Array, theirs: Array, together: bool = False) -> float:
    """The largest difference of two arrays: in ULPs for floats, otherwise 0 or infinity.

    NaN equals NaN, whatever its bits; zeros of different sign are half an ULP apart. A complex number is
    measured in ULPs of its larger part. `together`: in ULPs of the largest finite element of the array, for
    results that are small because terms cancel.
    """
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return np.inf
    if ours.size == 0:
        return 0.0
    if ours.dtype.kind == "c":
        size = _size(np.maximum(np.abs(theirs.real), np.abs(theirs.imag)), together)
        return max(_ulps(ours.real, theirs.real, size), _ulps(ours.imag, theirs.imag, size))
    if ours.dtype.kind in "biu" or ours.dtype.name in ("int2", "int4", "uint2", "uint4"):
        return 0.0 if np.array_equal(ours, theirs) else np.inf
    return _ulps(ours, theirs, _size(theirs, together))


def _size(x: Array, together: bool) -> Array:
    if not together:
        return x
    sizes = np.abs(x.astype(np.float64))
    return np.asarray(np.max(sizes, where=np.isfinite(sizes), initial=0.0))


def _ulps(ours: Array, theirs: Array, size: Array) -> float:
    info = ml_dtypes.finfo(ours.dtype)
    with np.errstate(all="ignore"):  # a signalling NaN is invalid even to convert
        a, b, scale = (np.asarray(x).astype(np.float64) for x in (ours, theirs, size))
        exponent = np.frexp(np.maximum(np.abs(scale), float(info.smallest_normal)))[1] - 1
        least = smallest_kept(ours.dtype)
        a, b = (np.where(np.abs(x) < least, np.copysign(0, x), x) for x in (a, b))
        unit = np.ldexp(float(info.eps), np.where(np.isfinite(scale), exponent, 0))
        apart = np.abs(a - b) / unit
    apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.where(np.isnan(apart), np.inf, apart))
    signs = (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
    return float(np.max(np.where(signs, 0.5, apart)))


# Ops whose sums may be taken in any order: compared exactly on small integers, and in ULPs on others.
SUMS = frozenset(
    f"stablehlo.{name}"
    for name in (
        "dot_general", "dot", "einsum", "unary_einsum", "convolution", "reduce", "reduce_window",
        "select_and_scatter", "scatter",
    )
) | {"chlo.ragged_dot", "chlo.scan"}  # fmt: skip
# Ops on which special values and values far apart leave little that is defined.
TAME = frozenset(
    f"stablehlo.{name}"
    for name in (
        "batch_norm_grad", "batch_norm_inference", "batch_norm_training", "cholesky", "triangular_solve",
        "fft", "rng_bit_generator",
    )
)  # fmt: skip

PROCESSES = "needs several processes"
TOKENS = "has tokens, tuples or futures"
NOT_COMPARED: dict[str, str] = {
    **dict.fromkeys(
        [
            "stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all",
            "stablehlo.collective_broadcast", "stablehlo.collective_permute", "stablehlo.collective_reduce",
            "stablehlo.cross-replica-sum", "stablehlo.partition_id", "stablehlo.reduce_scatter",
            "stablehlo.replica_id",
        ],
        PROCESSES,
    ),
    **dict.fromkeys(
        [
            "stablehlo.after_all", "stablehlo.async_done", "stablehlo.async_start", "stablehlo.create_token",
            "stablehlo.get_tuple_element", "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.recv",
            "stablehlo.send", "stablehlo.tuple",
        ],
        TOKENS,
    ),
    "stablehlo.composite": "is a call of a function",
    "stablehlo.custom_call": "is what its target makes of it",
    "stablehlo.return": "ends a region",
    "stablehlo.rng": "is random",
    "stablehlo.set_dimension_size": "makes a bounded dimension, which arrays do not have",
    "stablehlo.uniform_dequantize": "XLA's CPU backend has no quantized types",
    "stablehlo.uniform_quantize": "XLA's CPU backend has no quantized types",
    "stablehlo.while": "a condition and a body that are drawn need not end; see tests/interpreter",
    "stablehlo.dynamic_conv": "XLA: op can't be translated to XLA HLO",
    "stablehlo.unary_einsum": "XLA: op can't be translated to XLA HLO",
    "chlo.ragged_dot": "XLA: not supported by XLA:CPU ThunkEmitter",
    "chlo.scan": "its carries and inits have a shape of their own; see tests/kernels",
    "chlo._asin_acos_kernel": "is XLA's own intermediate, without a kernel here",
}  # fmt: skip

Elements = tuple[str, ...]
NARROW = ("i2", "ui2", "i4", "ui4", "f4E2M1FN")
FLOATS_8 = (
    "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU",
)  # fmt: skip
FLOATS = ("f4E2M1FN", *FLOATS_8, "bf16", "f16", "f32", "f64")
COARSE = ("bf16", "f16", *FLOATS_8, "f4E2M1FN")
COMPLEX = ("complex<f32>", "complex<f64>")
INTEGERS = tuple(f"{sign}{width}" for sign in ("i", "ui") for width in (2, 4, 8, 16, 32, 64))


def listed(table: dict[str, tuple[Elements, str]], op: str, elements: Elements) -> bool:
    """Whether a table has an op with one of these element types."""
    found = table.get(op)
    return found is not None and any(element in found[0] for element in elements)


TWO_BITS = "XLA: custom element sizes on non-sub-byte types are not supported, or its process ends"
LOWERED = "upstream lowers it to an op of StableHLO that does not take the type"
MESSAGES = (
    "custom element sizes on non-sub-byte types",
    "unsupported operand type",
    " op operand #0 must be ",  # upstream lowers an op of CHLO to one of StableHLO that takes fewer types
    "failed to legalize operation",
    "Scatter indices parameter must be an integral tensor",
    "complex comparison",
    "with different element types",  # rng_bit_generator: the state is to be of ui64
    "Expected comparison type",
    "Expected element type in shape to be floating",
    "is not equal to ratio of bit-widths",  # bitcast_convert: a boolean is as wide as a byte
    "Conversion between complex and real type",
)

# What XLA does not take at all, or ends its process on.
REJECTED: dict[str, tuple[Elements, str]] = {
    "stablehlo.cbrt": (COMPLEX, "XLA: expected element type to be floating for cbrt"),
    "stablehlo.remainder": (COMPLEX, "XLA: its process ends"),
    "chlo.broadcast_remainder": (COMPLEX, "XLA: its process ends"),
    "chlo.broadcast_polygamma": ((*INTEGERS, "i1", *COMPLEX), f"{LOWERED}; its process ends"),
    "chlo.broadcast_next_after": ((*INTEGERS, "i1", *COMPLEX), f"{LOWERED}; its process ends"),
    "stablehlo.concatenate": (("i2", "ui2"), TWO_BITS),
    "stablehlo.dynamic_update_slice": (("i2", "ui2"), TWO_BITS),
    "stablehlo.dot_general": (NARROW, TWO_BITS),
    "stablehlo.dot": (NARROW, TWO_BITS),
    "stablehlo.einsum": (NARROW, TWO_BITS),
    "stablehlo.convolution": (NARROW, TWO_BITS),
    "stablehlo.gather": (("i2", "ui2"), TWO_BITS),
    "stablehlo.select_and_scatter": (COMPLEX, "XLA: its process ends"),
    "stablehlo.dynamic_gather": (("i2", "ui2"), TWO_BITS),
    "stablehlo.scatter": (("i2", "ui2"), TWO_BITS),
    "stablehlo.sort": (("i2", "ui2", *COMPLEX), f"{TWO_BITS}; complex comparison is unimplemented"),
    "stablehlo.rng_bit_generator": (
        tuple(set(INTEGERS) - {"ui64"} | set(FLOATS)),
        "XLA: binary op with different element types: the state is to be of ui64",
    ),
    "stablehlo.bitcast_convert": (("i1",), "XLA: a boolean is as wide as a byte"),
    "chlo.bessel_i1e": ((*FLOATS_8, "f4E2M1FN", *COMPLEX), "XLA: failed to legalize"),
    "chlo.erfc": ((*FLOATS_8, "f4E2M1FN"), "XLA: failed to legalize"),
    "chlo.top_k": ((*NARROW, *COMPLEX), TWO_BITS),
    **{
        f"chlo.broadcast_{name}": (
            (*INTEGERS, "i1"),
            "upstream lowers it to an op that does not take the type",
        )
        for name in ("atan2", "zeta")
    },
}
STEPWISE = "XLA rounds after each step in the narrow type; we compute in f32 and round once"
UNSIGNED = "XLA computes with values that the type, without 0 and negative numbers, does not have"
DIFFERENT: dict[str, tuple[Elements, str]] = {
    "stablehlo.power": (INTEGERS, "XLA reads six bits of the exponent; ours is the power, wrapped around"),
    "stablehlo.popcnt": (("i4",), "XLA counts the bits of the byte that holds a negative number"),
    "stablehlo.convert": (
        ("f4E2M1FN", *COMPLEX),
        "XLA: 6.0 becomes the largest integer, 0 + 1i false",
    ),
    "stablehlo.sort": (("f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU"), "XLA orders sign and size, without -0"),
    "stablehlo.reduce_precision": (FLOATS_8, "XLA rounds to the type where the format is wider"),
    "stablehlo.scatter": (
        ("ui32", *COARSE),
        f"{STEPWISE}; XLA skips windows partly out of bounds",
    ),
    "chlo.acos": (("f4E2M1FN",), STEPWISE),
    "stablehlo.cholesky": ((*FLOATS_8, "f4E2M1FN"), STEPWISE),
    "stablehlo.triangular_solve": ((*FLOATS_8, "f4E2M1FN", "f16", "bf16"), STEPWISE),
    "stablehlo.batch_norm_inference": (("f4E2M1FN", *FLOATS_8, "bf16", "f16"), STEPWISE),
    "stablehlo.batch_norm_grad": (("f4E2M1FN", *FLOATS_8, "bf16", "f16"), STEPWISE),
    "stablehlo.reduce": ((*COARSE, *COMPLEX), f"{STEPWISE}; XLA's complex maximum keeps the first real part"),
    "stablehlo.reduce_window": ((*FLOATS_8, "f4E2M1FN", "bf16", "f16"), STEPWISE),
    "stablehlo.select_and_scatter": ((*NARROW, *COARSE), f"{STEPWISE}; i4 is left at the initial value"),
    "stablehlo.atan2": (("f8E8M0FNU",), UNSIGNED),
    "stablehlo.convolution": (("f8E8M0FNU",), UNSIGNED),
    "stablehlo.einsum": (("f8E8M0FNU",), UNSIGNED),
    "stablehlo.dot_general": (("f8E8M0FNU",), UNSIGNED),
    "stablehlo.dot": (("f8E8M0FNU",), UNSIGNED),
    "chlo.asin": (("f4E2M1FN", "f8E8M0FNU"), UNSIGNED),
    "chlo.atanh": (("f4E2M1FN", "f8E8M0FNU"), UNSIGNED),
    "chlo.lgamma": (COARSE, STEPWISE),
    "chlo.polygamma": (COARSE, STEPWISE),
    "chlo.broadcast_polygamma": (COARSE, STEPWISE),
    "chlo.zeta": (FLOATS, "at poles of an order below 1 XLA gives infinity, and we NaN"),
    "chlo.broadcast_zeta": (FLOATS, "as chlo.zeta"),
    "chlo.mulhi": (NARROW, "XLA multiplies i4 as i4, and has nothing left above"),
    "chlo.next_after": (("f8E8M0FNU",), "XLA steps over bits of a sign that the type does not have"),
    "chlo.broadcast_next_after": (("f8E8M0FNU",), "as chlo.next_after"),
    "chlo.is_inf": (("f4E2M1FN",), "XLA takes 0 for an infinity of a type without infinities"),
    "chlo.is_pos_inf": (("f4E2M1FN",), "as chlo.is_inf"),
    "chlo.is_neg_inf": (("f4E2M1FN",), "as chlo.is_inf"),
    "chlo.top_k": (FLOATS_8, "XLA orders sign and size, without -0"),
    "chlo.broadcast_power": (INTEGERS, "as stablehlo.power"),
}
NEAR_ZERO = frozenset({"chlo.lgamma", "chlo.digamma", "stablehlo.log"})  # 0 where logarithms cancel

# ULPs for f32 and f64 (for narrower types 1: two results in f32 may round apart), and for complex types.
BOUNDS: dict[str, tuple[float, float, str]] = {
    "stablehlo.atan2": (1, 32, "complex: a quotient of roots and logarithms, with an error in each"),
    "stablehlo.cbrt": (2, 0, ""),
    "stablehlo.cosine": (1, 4, ""),
    "stablehlo.divide": (0, 4, ""),
    "stablehlo.exponential": (2, 2, ""),
    "stablehlo.exponential_minus_one": (4, 16, "complex: parts cancel near 0"),
    "stablehlo.log": (2, 64, "complex: the logarithm of a modulus near 1"),
    "stablehlo.log_plus_one": (100, 8, "XLA's polynomial for f64 is coarse between 0.5 and 1"),
    "stablehlo.logistic": (2, 4, ""),
    "stablehlo.multiply": (0, 1, ""),
    "stablehlo.power": (1, 16, "complex: an exponential of a product, whose error grows with its size"),
    "stablehlo.rsqrt": (2, 4, ""),
    "stablehlo.sign": (0, 1, ""),
    "stablehlo.sine": (1, 4, ""),
    "stablehlo.sqrt": (0, 2, ""),
    "stablehlo.tan": (1, 4, ""),
    "stablehlo.tanh": (3, 4, ""),
    "stablehlo.map": (0, 1, ""),
    "stablehlo.dot_general": (4, 4, ""),
    "stablehlo.dot": (4, 4, ""),
    "stablehlo.einsum": (4, 4, ""),
    "stablehlo.convolution": (4, 4, ""),
    "stablehlo.reduce": (4, 4, ""),
    "stablehlo.reduce_window": (4, 4, ""),
    "stablehlo.select_and_scatter": (64, 0, "many terms are added to one element, in any order"),
    "stablehlo.scatter": (4, 4, ""),
    "stablehlo.batch_norm_grad": (16, 0, "sums, quotients and a root, in an order of their own"),
    "stablehlo.batch_norm_inference": (64, 0, "as batch_norm_grad"),
    "stablehlo.batch_norm_training": (16, 0, "as batch_norm_grad"),
    "stablehlo.cholesky": (16, 4, "a row is found from all before it"),
    "stablehlo.triangular_solve": (16, 16, "a row is found from all before it"),
    "stablehlo.fft": (32, 32, "XLA's transform of f64 has a larger error than pocketfft's"),
    "chlo.acos": (2, 4, ""),
    "chlo.acosh": (2, 4, ""),
    "chlo.asin": (2, 4, ""),
    "chlo.asinh": (2, 4, ""),
    "chlo.atan": (1, 4, ""),
    "chlo.atanh": (2, 4, ""),
    "chlo.bessel_i1e": (8, 0, "two polynomials of the same function"),
    "chlo.cosh": (2, 16, "complex: XLA adds two exponentials"),
    "chlo.sinh": (4, 16, "complex: XLA adds two exponentials"),
    "chlo.tan": (2, 4, ""),
    "chlo.square": (0, 1, ""),
    "chlo.digamma": (16, 0, "XLA's series for f32 has eight terms"),
    "chlo.erf": (2, 0, ""),
    "chlo.erf_inv": (8, 0, "XLA's polynomial; ours is refined by a step of Newton's method"),
    "chlo.erfc": (256, 0, "XLA's is exp(-x * x) times a polynomial, and the square is rounded"),
    "chlo.lgamma": (16, 0, "XLA's series for f32 has eight terms"),
    "chlo.polygamma": (8, 0, "a factorial of a logarithm times a series"),
    "chlo.broadcast_atan2": (1, 32, "as stablehlo.atan2"),
    "chlo.broadcast_divide": (0, 4, ""),
    "chlo.broadcast_multiply": (0, 1, ""),
    "chlo.broadcast_polygamma": (64, 0, "as chlo.polygamma, of wider values"),
    "chlo.broadcast_power": (1, 16, "as stablehlo.power"),
}


def bound(op: str, elements: Elements) -> float:
    """How many ULPs results for these element types may be apart.

    Half an ULP is the sign of a zero, which XLA loses in narrow types, and in products of one term.
    """
    real, imaginary, _ = BOUNDS.get(op, (0.0, 0.0, ""))
    if any(element in COMPLEX for element in elements):
        return imaginary
    if any(element in ("f32", "f64") for element in elements):
        return real
    narrow = any(element in COARSE for element in elements)
    return 0.0 if not narrow else min(max(real, 0.5), 4.0)
