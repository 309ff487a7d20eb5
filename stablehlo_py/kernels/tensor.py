"""Kernels of the `tensor` dialect. Scalars and indices are 0-dimensional arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stablehlo_py.diagnostics.diagnostic import RunError
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.registry import Array, kernel

Binary = Callable[[Array, Array], Array]


@kernel("tensor.cast", view=True)
def tensor_cast(operand: Array, *, result: Type) -> Array:
    """The operand, whose sizes must be those that the result states."""
    if isinstance(result, TensorType):
        require_shape(operand, result)
    return operand


def require_shape(array: Array, type: TensorType) -> None:
    """Raises RunError unless an array has the shape of a type."""
    fits = type.rank == array.ndim and all(
        size in (None, have) for size, have in zip(type.shape, array.shape, strict=True)
    )
    if not fits:
        raise RunError(f"the shape {list(array.shape)} is not that of {type}")


@kernel("tensor.dim")
def dim(source: Array, index: Array) -> Array:
    if not 0 <= int(index) < source.ndim:
        raise RunError(f"there is no dimension {int(index)} among {source.ndim}")
    return np.asarray(source.shape[int(index)], np.int64)


@kernel("tensor.from_elements")
def from_elements(elements: tuple[Array, ...], *, result: TensorType) -> Array:
    shape: Any = result.shape
    return np.array(elements, numpy_dtype(result.element_type)).reshape(shape)


@kernel("tensor.extract")
def extract(tensor: Array, indices: tuple[Array, ...]) -> Array:
    at = tuple(map(int, indices))
    if any(not 0 <= i < size for i, size in zip(at, tensor.shape, strict=True)):
        raise RunError(f"there is no element {list(at)} in the shape {list(tensor.shape)}")
    return np.asarray(tensor[at])
