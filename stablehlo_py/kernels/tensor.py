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
    """Operand, checked at run time against the sizes of the result type (tensor.cast)."""
    if isinstance(result, TensorType):
        require_shape(operand, result)
    return operand


def require_shape(array: Array, type: TensorType) -> None:
    """Check that an array has the shape of a type.

    Raises:
        RunError: The shapes differ.
    """
    fits = type.rank == array.ndim and all(
        size in (None, have) for size, have in zip(type.shape, array.shape, strict=True)
    )
    if not fits:
        raise RunError(f"shape {list(array.shape)} does not match {type}")


@kernel("tensor.dim")
def dim(source: Array, index: Array) -> Array:
    """Size of a dimension (tensor.dim)."""
    if not 0 <= int(index) < source.ndim:
        raise RunError(f"dimension {int(index)} is out of range for rank {source.ndim}")
    return np.asarray(source.shape[int(index)], np.int64)


@kernel("tensor.from_elements")
def from_elements(elements: tuple[Array, ...], *, result: TensorType) -> Array:
    """Tensor of scalars (tensor.from_elements)."""
    shape: Any = result.shape
    return np.array(elements, numpy_dtype(result.element_type)).reshape(shape)


@kernel("tensor.extract")
def extract(tensor: Array, indices: tuple[Array, ...]) -> Array:
    """Element at an index (tensor.extract)."""
    at = tuple(map(int, indices))
    if any(not 0 <= i < size for i, size in zip(at, tensor.shape, strict=True)):
        raise RunError(f"index {list(at)} is out of bounds for shape {list(tensor.shape)}")
    return np.asarray(tensor[at])
