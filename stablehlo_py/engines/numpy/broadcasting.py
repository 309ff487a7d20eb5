"""Broadcasting analysis: arrays as matrices with rows along the last dimension, and broadcasts to them.

A `broadcast_in_dim` repeats a scalar, one element per row, or one row. Steps that run block by block read the
array before the broadcast, which is smaller and contiguous.
"""

from __future__ import annotations

from enum import Enum
from math import prod
from typing import NamedTuple

import numpy as np

from stablehlo_py.engines.numpy.steps import BoundStep
from stablehlo_py.interpreter.plan import Plan
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.kernels.registry import Array
from stablehlo_py.opset.definition import has_trait


class Extent(Enum):
    """The part of a matrix that an array holds."""

    FULL = "every element"
    PER_ROW = "one element per row"
    PER_COLUMN = "one row"
    SCALAR = "one element"

    def matrix(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """Return the shape of such an array as a matrix that broadcasts to that of an array of `shape`."""
        columns = shape[-1]
        per_row, per_column = self in (Extent.FULL, Extent.PER_ROW), self in (Extent.FULL, Extent.PER_COLUMN)
        return prod(shape[:-1]) if per_row else 1, columns if per_column else 1


class Source(NamedTuple):
    """A slot, and the part of an operand's matrix that it holds."""

    slot: int
    extent: Extent


def static_shape(type: Type) -> tuple[int, ...] | None:
    """Return the shape of a static tensor type, None for other types."""
    return type.shape if isinstance(type, TensorType) and type.is_static else None  # type: ignore[return-value]


def find_sources(plan: Plan[BoundStep]) -> dict[int, Source]:
    """Return the sources of slots that hold broadcasts; adds slots for the repeated parts of constants.

    Args:
        plan: The plan.
    """
    found: dict[int, Source] = {}
    for slot, value in list(plan.constants.items()):
        type = plan.types[slot]
        is_array = (
            isinstance(type, TensorType) and isinstance(value, np.ndarray) and value.ndim and value.size
        )
        part = _repeated_part(value) if is_array else None
        if part is not None:
            extent, elements = part
            plan.types.append(TensorType(elements.shape, type.element_type))
            plan.constants[len(plan.types) - 1] = elements
            found[slot] = Source(len(plan.types) - 1, extent)
    for step in plan.steps:
        if has_trait(step.name, "broadcast"):
            source = _source(plan, step, found)
            if source is not None:
                found[step.outs[0]] = source
    return found


def _repeated_part(value: Array) -> tuple[Extent, Array] | None:
    """Return the elements that an array repeats along its rows, or from row to row."""
    if not any(value.strides):
        return Extent.SCALAR, value[(0,) * value.ndim]
    if value.ndim > 1 and not any(value.strides[:-1]):
        return Extent.PER_COLUMN, value[(0,) * (value.ndim - 1)]
    if value.ndim > 1 and not value.strides[-1]:
        return Extent.PER_ROW, value[..., 0]
    return None


def _source(plan: Plan[BoundStep], step: BoundStep, found: dict[int, Source]) -> Source | None:
    """Return the source of a broadcast_in_dim, from before any broadcast that defines its operand."""
    operand = step.ins[0]
    small, large = static_shape(plan.types[operand]), static_shape(plan.types[step.outs[0]])
    if small is None or large is None:
        return None
    extent = _extent(small, large, step.keywords["broadcast_dimensions"])
    if extent is None:
        return None
    before = found.get(operand, Source(operand, extent))
    if before.extent is Extent.SCALAR:
        return before
    size = prod(static_shape(plan.types[before.slot]) or ())  # of rows of fewer dimensions, it is less
    same = before.extent is extent and size == prod(extent.matrix(large))
    return before if same else Source(operand, extent)


def _extent(small: tuple[int, ...], large: tuple[int, ...], dimensions: tuple[int, ...]) -> Extent | None:
    if not small:
        return Extent.SCALAR
    leading = dimensions == tuple(range(len(small)))
    if leading and small in (large[:-1], (*large[:-1], 1)):
        return Extent.PER_ROW
    trailing = dimensions == tuple(range(len(large) - len(small), len(large)))
    if trailing and small[-1] == large[-1] and prod(small) == small[-1]:
        return Extent.PER_COLUMN
    return None
