"""The NumPy data type that holds the elements of a tensor."""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from stablehlo_py.ir.types import ComplexType, FloatType, IndexType, IntegerType, QuantizedType, Type

_FLOATS: dict[str, type[Any]] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}
_NARROW_INTEGERS: dict[tuple[int, str], type[Any]] = {
    (2, ""): ml_dtypes.int2,
    (4, ""): ml_dtypes.int4,
    (2, "u"): ml_dtypes.uint2,
    (4, "u"): ml_dtypes.uint4,
}


@cache
def numpy_dtype(element_type: Type) -> np.dtype[Any]:
    """The NumPy type of an element type; a quantized type's is its storage type's.

    Raises TypeError for a type that has no elements, such as `!stablehlo.token` or `i3`.
    """
    match element_type:
        case FloatType(name) if name in _FLOATS:
            return np.dtype(_FLOATS[name])
        case IntegerType(1, ""):
            return np.dtype(np.bool_)
        case IntegerType(width, sign) if (width, sign.strip("s")) in _NARROW_INTEGERS:
            return np.dtype(_NARROW_INTEGERS[width, sign.strip("s")])
        case IntegerType(width, sign) if width in (8, 16, 32, 64):
            return np.dtype(f"{'uint' if sign == 'u' else 'int'}{width}")
        case IndexType():
            return np.dtype(np.int64)
        case ComplexType(FloatType("f32")):
            return np.dtype(np.complex64)
        case ComplexType(FloatType("f64")):
            return np.dtype(np.complex128)
        case QuantizedType(storage_type=storage):
            return numpy_dtype(storage)
    raise TypeError(f"no NumPy type holds elements of type {element_type}")


def bit_width(element_type: Type) -> int:
    """The specification's `num_bits`: 1 for i1, 4 for f4E2M1FN, 64 for complex<f32>."""
    match element_type:
        case IntegerType(width):
            return width
        case FloatType("tf32"):
            return 19
        case FloatType(name):
            return int("".join(c for c in name.lstrip("bf").split("E")[0] if c.isdigit()))
        case ComplexType(part):
            return 2 * bit_width(part)
        case QuantizedType(storage_type=storage):
            return bit_width(storage)
        case IndexType():
            return 64
    raise TypeError(f"{element_type} has no bits")
