"""Tolerances for differences from XLA, results that cannot be compared, and known differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from stablehlo_py.debug.generate.elements import smallest_kept
from stablehlo_py.kernels.numeric.numerics import dtype_kind

Array = np.ndarray[Any, np.dtype[Any]]


def distance(ours: Array, theirs: Array, least: float = 0) -> float:
    """The largest difference of two arrays: in ULPs for floats, otherwise 0 or infinity.

    NaN equals NaN, whatever its bits; zeros of different sign are half an ULP apart. A complex number is
    measured in ULPs of its larger part, and what is smaller than `least` in ULPs of that.
    """
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return np.inf
    if ours.size == 0:
        return 0.0
    if dtype_kind(ours.dtype) == "c":
        size = np.maximum(np.maximum(np.abs(theirs.real), np.abs(theirs.imag)), least)
        return max(_ulps(ours.real, theirs.real, size), _ulps(ours.imag, theirs.imag, size))
    if dtype_kind(ours.dtype) in "biu":
        return 0.0 if np.array_equal(ours, theirs) else np.inf
    return _ulps(ours, theirs, np.maximum(np.abs(theirs.astype(np.float64)), least))


def least_size(op: str, results: Sequence[Array]) -> float:
    """Below which size an op's results have an absolute error, not one in proportion."""
    if op in NEAR_ZERO:
        return 1.0
    if op not in SUMS | TAME:
        return 0.0
    with np.errstate(all="ignore"):
        sizes = [np.abs(x.astype(np.complex128)) for x in results if dtype_kind(x.dtype) in "fc"]
    return max([float(np.max(x, where=np.isfinite(x), initial=0.0)) for x in sizes], default=0.0)


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
    "stablehlo.while": "a condition and a body that are drawn need not end: in programs they do",
    "stablehlo.dynamic_conv": "XLA: op can't be translated to XLA HLO",
    "stablehlo.unary_einsum": "XLA: op can't be translated to XLA HLO",
    "chlo.ragged_dot": "XLA: not supported by XLA:CPU ThunkEmitter",
    "chlo.scan": "its carries and inits have a shape of their own; see tests/kernels",
    "chlo._asin_acos_kernel": "is XLA's own intermediate, without a kernel here",
}  # fmt: skip

NOT_IN_XLA = {
    "arith": "indices of dynamic shapes, which XLA's CPU backend does not have",
    "cf": "branches between blocks, which no program for XLA has",
    "scf": "control flow on scalars, which no program for XLA has",
    "shape": "indices of dynamic shapes, which XLA's CPU backend does not have",
    "tensor": "indices of dynamic shapes, which XLA's CPU backend does not have",
    "memref": "buffers, which no program for XLA has",
    "bufferization": "buffers, which no program for XLA has",
    "check": "states what a program expects",
    "interpreter": "is of the interpreter alone",
    "sdy": "places values on devices",
    "func": "is in every program",
    "builtin": "is in every program",
}
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


# What XLA says of draws that it does not take, besides those that it takes none of (see REJECTED).
MESSAGES = (
    "custom element sizes on non-sub-byte types",  # i4 beside i64
    "unsupported operand type",  # products of two bits
    "Conversion between complex and real type",
    "is not equal to ratio of bit-widths",  # bitcast_convert: a boolean is as wide as a byte
)
LOWERED = "upstream lowers it to an op of StableHLO that does not take the type"
STATE = "XLA: binary op with different element types: the state is to be of ui64"
NUMBERS = (*INTEGERS, *FLOATS, *COMPLEX)
REJECTED: dict[str, tuple[Elements, str]] = {
    "stablehlo.cbrt": (COMPLEX, "XLA: expected element type to be floating for cbrt"),
    "stablehlo.rng_bit_generator": (tuple(set(NUMBERS) - {"ui64"}), STATE),
    "stablehlo.bitcast_convert": (("i1",), "XLA: a boolean is as wide as a byte"),
    "chlo.bessel_i1e": ((*FLOATS_8, "f4E2M1FN", *COMPLEX), "XLA: failed to legalize"),
    "chlo.erfc": ((*FLOATS_8, "f4E2M1FN"), "XLA: failed to legalize"),
    "chlo.top_k": ((*NARROW, *COMPLEX), "XLA: elements of less than a byte; complex comparison"),
    "chlo.broadcast_atan2": ((*INTEGERS, "i1"), LOWERED),
    "chlo.broadcast_zeta": ((*INTEGERS, "i1"), LOWERED),
    **{f"chlo.broadcast_{name}": (("i1",), LOWERED) for name in ("divide", "power", "remainder", "subtract")},
    **{
        f"chlo.broadcast_shift_{name}": ((*FLOATS, *COMPLEX, "i1"), LOWERED)
        for name in ("left", "right_arithmetic", "right_logical")
    },
}
# What may end XLA's process; of two bits it depends on shapes.
TWO_BITS = ("i2", "ui2")
CRASHES: dict[str, tuple[Elements, str]] = {
    "stablehlo.remainder": (COMPLEX, "no remainder of complex numbers"),
    "chlo.broadcast_remainder": (COMPLEX, "no remainder of complex numbers"),
    "chlo.broadcast_polygamma": ((*INTEGERS, "i1", *COMPLEX), LOWERED),
    "chlo.broadcast_next_after": (("i1", *COMPLEX), LOWERED),
    **{
        f"stablehlo.{name}": (TWO_BITS, "two elements of two bits do not share a byte everywhere")
        for name in (
            "concatenate", "convolution", "dot", "dot_general", "dynamic_gather", "dynamic_update_slice",
            "einsum", "gather", "scatter", "select_and_scatter", "sort", "torch_index_select",
        )
    },
}  # fmt: skip

# What no valid program is drawn of.
UNDRAWN: dict[str, tuple[Elements, str]] = {
    "stablehlo.fft": (tuple(set(NUMBERS) - {"f32", "f64", *COMPLEX}), "no complex type has such parts"),
    "chlo.broadcast_complex": (COARSE, "no complex type has such parts"),
    "stablehlo.dynamic_iota": (tuple(set(INTEGERS) - {"i64"}), "its operand is a shape: always of i64 here"),
    "chlo.constant_like": (COMPLEX, "its value is an attribute, which is a number or real here"),
}


def is_fatal(op: str, elements: Elements) -> bool:
    """Whether XLA's process may end."""
    if op == "stablehlo.bitcast_convert":
        return set(elements) == set(COMPLEX)
    return listed(CRASHES, op, elements)


E8 = ("f8E8M0FNU",)
STEPS = "XLA rounds each step of the function to the type, which has no 0 and no negative numbers"
HIGHEST = "XLA takes the highest bit for a sign, which the type does not have"
NO_INFINITY = "XLA takes 0 for an infinity of a type without infinities"
DIFFERENT: dict[str, tuple[Elements, str]] = {
    "stablehlo.popcnt": (("i4",), "XLA counts the bits of the byte that holds a negative number"),
    "stablehlo.iota": (E8, "XLA makes the smallest power of two of the 0, and NaN of a 0 elsewhere"),
    "stablehlo.power": (
        E8,
        "XLA makes NaN of powers of two below the smallest normal f32",
    ),
    "stablehlo.cholesky": (E8, STEPS),
    "stablehlo.triangular_solve": (E8, STEPS),
    "chlo.asin": (E8, STEPS),
    "chlo.atanh": (E8, STEPS),
    "chlo.lgamma": (E8, "XLA has a small number where the result is 0, of which we make NaN"),
    "chlo.mulhi": (("i4", "ui4"), "XLA multiplies i4 as i4, and has nothing left above"),
    "chlo.next_after": (E8, HIGHEST),
    "chlo.is_inf": (("f4E2M1FN",), NO_INFINITY),
    "chlo.is_pos_inf": (("f4E2M1FN",), NO_INFINITY),
    "chlo.is_neg_inf": (("f4E2M1FN",), NO_INFINITY),
    "stablehlo.select_and_scatter": (("i1",), "XLA may take another of equal elements beside padding"),
}
DIFFERENT["chlo.broadcast_power"] = DIFFERENT["stablehlo.power"]
DIFFERENT["chlo.broadcast_next_after"] = (
    (*E8, *INTEGERS),
    "as chlo.next_after; it is of floats, and of integers XLA gives no next number",
)


def is_different(op: str, elements: Elements) -> bool:
    """Whether results for element types (of the first operand, of the result) are known to differ."""
    if op == "stablehlo.convert":  # XLA makes 6.0 the largest integer, and false of 0 + 1i
        return (elements[0] == "f4E2M1FN" and elements[1] in INTEGERS) or (
            elements[1] == "i1" and elements[0] in COMPLEX
        )
    return listed(DIFFERENT, op, elements)


NEAR_ZERO = frozenset({"chlo.lgamma", "chlo.digamma", "stablehlo.log"})  # 0 where logarithms cancel

# ULPs for narrow floats, f32, f64, complex<f32> and complex<f64>, and why where that is more than three.
SERIES = "XLA's series, in its own type, has the larger error"
TWO_STEPS = "two functions of the parts, each with its error"
BOUNDS: dict[str, tuple[float, float, float, float, float, str]] = {
    "stablehlo.atan2": (1, 2, 1, 512, 512, "complex: XLA's logarithm of a quotient cancels"),
    "stablehlo.cbrt": (1, 2, 3, 0, 0, ""),
    "stablehlo.cosine": (0, 1, 1, 32, 32, "complex: XLA adds exponentials, which cancel"),
    "stablehlo.divide": (0.5, 0, 0, 4, 4, "complex: a quotient of sums of products"),
    "stablehlo.exponential": (1, 2, 2, 2, 2, ""),
    "stablehlo.exponential_minus_one": (2, 5, 3, 4, 4, SERIES),
    "stablehlo.log": (1, 1, 1, 1, 64, "complex<f64>: XLA's logarithm of a modulus near 1 cancels"),
    "stablehlo.log_plus_one": (1, 2, 128, 8, 128, "XLA's polynomial for f64 is coarse between 0.5 and 1"),
    "stablehlo.logistic": (
        256,
        3,
        3,
        12,
        12,
        "XLA takes exp(-x) of f16 in f16, where it overflows; complex: a quotient",
    ),
    "stablehlo.multiply": (0.5, 0, 0, 1, 1, ""),
    "stablehlo.power": (
        1,
        1,
        1,
        16,
        16,
        "complex: an exponential of a product, whose error grows with its size",
    ),
    "stablehlo.rsqrt": (0.5, 2, 2, 4, 4, TWO_STEPS),
    "stablehlo.sign": (0.5, 0, 0, 1, 1, ""),
    "stablehlo.sine": (0, 1, 1, 32, 32, "complex: XLA adds exponentials, which cancel"),
    "stablehlo.sqrt": (0.5, 0, 0, 2, 2, ""),
    "stablehlo.tan": (1, 2, 1, 20, 20, "complex: a quotient of what cancels"),
    "stablehlo.tanh": (0.5, 4, 8, 20, 32, SERIES),
    "stablehlo.remainder": (0.5, 0, 0, 0, 0, ""),
    "stablehlo.map": (0.5, 0.5, 0.5, 1, 1, ""),
    "stablehlo.maximum": (0.5, 0.5, 0.5, 0, 0, ""),
    "stablehlo.minimum": (0.5, 0.5, 0.5, 0, 0, ""),
    "stablehlo.clamp": (0.5, 0.5, 0.5, 0, 0, ""),
    "stablehlo.dot_general": (0.5, 1, 2, 2, 2, ""),
    "stablehlo.dot": (0.5, 1, 2, 3, 2, ""),
    "stablehlo.einsum": (0.5, 1, 2, 2, 2, ""),
    "stablehlo.convolution": (0.5, 1, 2, 2, 2, ""),
    "stablehlo.reduce": (0.5, 3, 3, 3, 4, "complex: sums and products in any order"),
    "stablehlo.reduce_window": (0.5, 2, 2, 3, 3, ""),
    "stablehlo.select_and_scatter": (0.5, 1, 1, 1, 1, ""),
    "stablehlo.scatter": (0.5, 1, 1, 2, 2, ""),
    "stablehlo.batch_norm_grad": (6, 6, 4, 0, 0, "sums, quotients and a root, in an order of their own"),
    "stablehlo.batch_norm_inference": (2, 3, 3, 0, 0, ""),
    "stablehlo.batch_norm_training": (0.5, 1, 1, 0, 0, ""),
    "stablehlo.cholesky": (0.5, 2, 2, 2, 2, ""),
    "stablehlo.triangular_solve": (0.5, 2, 2, 3, 2, ""),
    "stablehlo.fft": (0, 2, 2, 2, 2, ""),
    "chlo.acos": (3, 2, 1, 3, 5, TWO_STEPS),
    "chlo.acosh": (2, 3, 3, 3, 4, TWO_STEPS),
    "chlo.asin": (3, 2, 1, 4, 5, TWO_STEPS),
    "chlo.asinh": (1, 2, 2, 3, 4, TWO_STEPS),
    "chlo.atan": (1, 5, 2, 3, 5, SERIES),
    "chlo.atanh": (3, 2, 128, 3, 5, "XLA's is of log_plus_one, whose polynomial for f64 is coarse"),
    "chlo.bessel_i1e": (1, 9, 8, 0, 0, SERIES),
    "chlo.cosh": (1, 2, 2, 32, 128, "complex: XLA adds two exponentials, which cancel"),
    "chlo.sinh": (1, 6, 4, 32, 128, "XLA subtracts two exponentials, which cancel"),
    "chlo.tan": (1, 2, 1, 256, 64, "complex: a quotient of what cancels"),
    "chlo.square": (0.5, 0, 0, 1, 1, ""),
    "chlo.digamma": (0.5, 12, 12, 0, 0, SERIES),
    "chlo.erf": (0.5, 3, 1, 0, 0, ""),
    "chlo.erf_inv": (0.5, 4, 24, 0, 0, SERIES),
    "chlo.erfc": (0.5, 64, 512, 0, 0, "XLA's is exp(-x * x) times a polynomial, and the square is rounded"),
    "chlo.lgamma": (1, 24, 32, 0, 0, SERIES),
    "chlo.zeta": (0.5, 9, 9, 0, 0, SERIES),
    "chlo.polygamma": (0.5, 24, 16, 0, 0, "XLA's is a factorial, from a logarithm, times a series"),
}
BOUNDS |= {
    f"chlo.broadcast_{name}": BOUNDS[op]
    for name, op in {
        **{
            n: f"stablehlo.{n}"
            for n in ("atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder")
        },
        **{n: f"chlo.{n}" for n in ("zeta", "polygamma")},
    }.items()
}
NARROW_EXACT = 0.5  # ULPs: the sign of a zero, which XLA loses in narrow types, and in products of one term


def bound(op: str, elements: Elements) -> float:
    """How many ULPs results for these element types may be apart."""
    row = BOUNDS.get(op)
    columns = (*reversed(COMPLEX), "f64", "f32")
    at = next((4 - i for i, column in enumerate(columns) if column in elements), 0)
    if row is not None:
        return float(row[at])  # type: ignore[arg-type]
    return NARROW_EXACT if any(element in COARSE for element in elements) else 0.0
