"""Bodies for tests of kernels: Python functions with the interface of the interpreter's lifted functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stablehlo_py.ir.types import (
    F32,
    F64,
    I1,
    I32,
    I64,
    ComplexType,
    FloatType,
    IntegerType,
    TensorType,
    Type,
)
from stablehlo_py.kernels.registry import Array

ELEMENT_TYPES: dict[str, Type] = {
    "bool": I1,
    "int8": IntegerType(8),
    "uint8": IntegerType(8, "u"),
    "int32": I32,
    "int64": I64,
    "float16": FloatType("f16"),
    "bfloat16": FloatType("bf16"),
    "float32": F32,
    "float64": F64,
    "complex64": ComplexType(F32),
    "complex128": ComplexType(F64),
}


def type_of(array: Array) -> TensorType:
    """The tensor type that an array is a value of."""
    return TensorType(array.shape, ELEMENT_TYPES[array.dtype.name])


class Lifted:
    """A function on arrays as a kernel's body; `ufunc` where a kernel may take it for one."""

    input_types: tuple[Type, ...] = ()
    output_types: tuple[Type, ...] = ()
    compares = False

    def __init__(self, function: Callable[..., Any], ufunc: np.ufunc | None = None) -> None:
        self.function, self.ufunc = function, ufunc

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        results = self.function(*arrays)
        return results if isinstance(results, tuple) else (results,)


ADD = Lifted(np.add, np.add)
MAXIMUM = Lifted(np.maximum, np.maximum)
ADD_LIFTED = Lifted(np.add)  # the same function, to be evaluated as any other body
