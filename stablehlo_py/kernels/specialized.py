"""Specialization: kernels for operands of known shapes, where what shapes decide is decided before the run.

Loops run small steps thousands of times, where looking at shapes costs more than the work itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter, methodcaller
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.numeric.numerics import dtype_kind, wide
from stablehlo_py.kernels.registry import Array, Ints
from stablehlo_py.kernels.shape import static_shape

Call = Callable[..., Any]


def specialize(name: str, types: Sequence[Type], keywords: dict[str, Any]) -> Call | None:
    """The kernel of an op as a function of its operands, if it gains by knowing their types."""
    specialization = _SPECIALIZATIONS.get(name)
    if specialization is None or not all(isinstance(t, TensorType) and t.is_static for t in types):
        return None
    return specialization(types, **keywords)


def _slice(
    types: Sequence[TensorType], *, start_indices: Ints, limit_indices: Ints, strides: Ints
) -> Call | None:
    if not start_indices:
        return None
    return itemgetter(tuple(map(slice, start_indices, limit_indices, strides)))


def _reshape(types: Sequence[TensorType], *, result: TensorType) -> Call | None:
    if not result.is_static:
        return None
    return methodcaller("reshape", static_shape(result))


def _transpose(types: Sequence[TensorType], *, permutation: Ints) -> Call:
    return methodcaller("transpose", permutation)


def _broadcast_in_dim(
    types: Sequence[TensorType], *, broadcast_dimensions: Ints, result: TensorType
) -> Call | None:
    ordered = tuple(sorted(broadcast_dimensions)) == tuple(broadcast_dimensions)
    return _reshape(types, result=result) if ordered and types[0].size == result.size else None


def _concatenate(types: Sequence[TensorType], *, dimension: int) -> Call:
    return lambda *inputs: np.concatenate(inputs, dimension)


def _dynamic_slice(types: Sequence[TensorType], *, slice_sizes: Ints) -> Call:
    index = _clamped_index(static_shape(types[0]), slice_sizes)
    return lambda operand, *starts: operand[index(starts)]


def _dynamic_update_slice(types: Sequence[TensorType], *, overwrite: bool = False) -> Call:
    index = _clamped_index(static_shape(types[0]), static_shape(types[1]))

    def update_slice(operand: Array, update: Array, *starts: Array) -> Array:
        result = operand if overwrite and operand.flags.writeable else operand.copy()
        result[index(starts)] = update
        return result

    return update_slice


def _clamped_index(shape: Ints, sizes: Ints) -> Callable[[Sequence[Array]], tuple[slice, ...]]:
    """From start indices to slices of `sizes` that lie within `shape`; whole dimensions start at 0."""
    whole = [slice(0, size) for size in sizes]
    rows = [
        (axis, limit - size, size)
        for axis, (limit, size) in enumerate(zip(shape, sizes, strict=True))
        if limit > size
    ]

    def index(starts: Sequence[Array]) -> tuple[slice, ...]:
        found = whole.copy()
        for axis, last, size in rows:
            first = max(0, min(int(starts[axis]), last))
            found[axis] = slice(first, first + size)
        return tuple(found)

    return index


def _dot_general(types: Sequence[TensorType], *, result: TensorType, **keywords: Any) -> Call | None:
    """A product of matrices as they lie in memory, of elements that are computed in their own type."""
    from stablehlo_py.kernels.dot import layout_of

    lhs, rhs = types
    dtype = numpy_dtype(result.element_type)
    same = lhs.element_type is rhs.element_type is result.element_type
    if (
        keywords.get("accumulation_type") is not None
        or not same
        or dtype_kind(dtype) != "f"
        or wide(dtype) != dtype
    ):
        return None
    layout = layout_of(static_shape(lhs), static_shape(rhs), keywords)
    plain = layout.lhs_axes == layout.rhs_axes == (0, 1)
    if not plain or (layout.lhs_shape, layout.rhs_shape) != (lhs.shape, rhs.shape):
        return None
    return np.dot if layout.shape == (lhs.shape[0], rhs.shape[1]) else None


_SPECIALIZATIONS: dict[str, Callable[..., Call | None]] = {
    "stablehlo.broadcast_in_dim": _broadcast_in_dim,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.dot_general": _dot_general,
    "stablehlo.dynamic_slice": _dynamic_slice,
    "stablehlo.dynamic_update_slice": _dynamic_update_slice,
    "stablehlo.reshape": _reshape,
    "stablehlo.slice": _slice,
    "stablehlo.transpose": _transpose,
}
