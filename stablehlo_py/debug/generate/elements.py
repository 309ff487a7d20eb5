"""Element types and their values: edge cases, values with exact sums, and others."""

from __future__ import annotations

from typing import Any, Literal

import ml_dtypes
import numpy as np

from stablehlo_py.ir.element_types import ELEMENT_TYPES, numpy_dtype
from stablehlo_py.ir.types import I1, ComplexType, IntegerType, QuantizedType, Type

Array = np.ndarray[Any, np.dtype[Any]]
Mood = Literal["any", "whole", "few", "tame"]

# XLA's CPU backend has none of these: "Invalid XLA PrimitiveType", or its process ends.
_NOT_ON_CPU = ("f6E2M3FN", "f6E3M2FN")
_DRAWN = [row for row in ELEMENT_TYPES.values() if row.xla and row.name not in _NOT_ON_CPU]
ELEMENTS: tuple[Type, ...] = (*[row.type for row in _DRAWN if row.type != I1], I1)


def draw_values(rng: np.random.Generator, element: Type, shape: tuple[int, ...], mood: Mood) -> Array:
    """Draw an array of an element type.

    "any": special values and values of every size; "whole": small integers, whose sums and products are
    exact in wide types; "few": at most four nonzero integers, so that sums are exact in narrow types too;
    "tame": numbers near 1, of either sign.
    """
    dtype = numpy_dtype(element)
    if isinstance(element, QuantizedType):
        return draw_values(rng, element.storage_type, shape, mood)
    if isinstance(element, ComplexType):  # finite: what functions of infinities give is open
        mood = "tame" if mood == "any" else mood
        real, imag = (draw_values(rng, element.element_type, shape, mood) for _ in range(2))
        return _complex(real, imag, dtype)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if isinstance(element, IntegerType):
        return _integers(rng, element, shape, mood).astype(dtype)
    if dtype.name == "float8_e8m0fnu":
        return _powers(rng, shape, mood).astype(dtype)
    with np.errstate(all="ignore"):
        if mood == "whole":
            return rng.integers(-4, 5, shape).astype(np.float32).astype(dtype)
        if mood == "few":
            return _few(rng, shape, 1 if dtype.itemsize == 1 else 4).astype(dtype)
        if mood == "tame":
            return rng.normal(size=shape).astype(dtype)
        wide = rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, shape)
        special = rng.choice(special_floats(dtype), shape)
        return np.where(rng.random(shape) < 0.3, special, wide.astype(dtype))


def _few(rng: np.random.Generator, shape: tuple[int, ...], largest: int) -> Array:
    values = np.zeros(shape, np.float32)
    places = rng.permutation(values.size)[:4]
    values.reshape(-1)[places] = rng.integers(-largest, largest + 1, len(places))
    return values


def _powers(rng: np.random.Generator, shape: tuple[int, ...], mood: Mood) -> Array:
    """Powers of two for a type without 0 and negative numbers: products of two do not underflow."""
    powers = np.exp2(rng.integers(-8, 9, shape) if mood == "any" else rng.integers(0, 2, shape))
    return np.where(rng.random(shape) < (0.1 if mood == "any" else 0), np.nan, powers)


def _complex(real: Array, imag: Array, dtype: np.dtype[Any]) -> Array:
    z = np.empty(real.shape, dtype)
    z.real, z.imag = real, imag
    return z


def _integers(rng: np.random.Generator, element: IntegerType, shape: tuple[int, ...], mood: Mood) -> Array:
    low = 0 if element.signedness == "u" else -(1 << element.width - 1)
    high = low + (1 << element.width) - 1
    if mood != "any":
        return rng.integers(max(low, -4), min(high, 4), shape, endpoint=True)
    anything = rng.integers(low, high, shape, np.uint64 if low == 0 else np.int64, endpoint=True)
    edges = [low, low + 1, 0, 1, high - 1, high, *[x for x in (-1, 2, 7, 31, 63, 64) if low <= x <= high]]
    special = rng.choice(np.array(edges, anything.dtype), shape)
    return np.where(rng.random(shape) < 0.5, special, anything)


def special_floats(dtype: np.dtype[Any]) -> Array:
    """Signed zeros, infinities and NaN where the type has them, ends of its range, ties of rounding."""
    info: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call,unused-ignore]
    ends = [info.smallest_subnormal, info.smallest_normal, info.max, info.eps]
    ends = [end for end in ends if float(end) >= smallest_kept(dtype) * 2.0**32]  # and so are intermediates
    sizes = np.array([0, 0.5, 1, 1.5, 2, 2.5, *map(float, ends)])
    with np.errstate(all="ignore"):
        found = np.concatenate([sizes, -sizes, [np.inf, -np.inf, np.nan]]).astype(dtype)
    return np.asarray(found)


def smallest_kept(dtype: np.dtype[Any]) -> float:
    """The smallest number that XLA's CPU backend does not take for zero.

    It flushes denormals of f32 and f64, and computes in f32 with the narrower types; we keep denormals.
    """
    return float(np.finfo(np.float64 if dtype == np.float64 else np.float32).tiny)
