"""Broadcasting: arrays as matrices whose rows lie along the last dimension, and what was broadcast to them.

A `broadcast_in_dim` repeats one element, an element for each row, or one row for all. What runs block
by block takes the array before the broadcast: it is smaller, and lies densely in memory.
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
    """How much of a matrix an array holds."""

    FULL = "every element"
    PER_ROW = "one element for each row"
    PER_COLUMN = "one row, for all"
    SCALAR = "one element, for all"

    def matrix(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """The shape of such an array as a matrix that broadcasts to that of an array of `shape`."""
        columns = shape[-1]
        per_row, per_column = self in (Extent.FULL, Extent.PER_ROW), self in (Extent.FULL, Extent.PER_COLUMN)
        return prod(shape[:-1]) if per_row else 1, columns if per_column else 1


class Source(NamedTuple):
    """A slot, and how much of an operand's matrix it holds."""

    slot: int
    extent: Extent


def static_shape(type: Type) -> tuple[int, ...] | None:
    """The shape of a tensor type whose sizes are all known."""
    return type.shape if isinstance(type, TensorType) and type.is_static else None  # type: ignore[return-value]


def find_sources(plan: Plan[BoundStep]) -> dict[int, Source]:
    """For slots that hold broadcasts: of what. Constants get a slot for the part that is repeated."""
    found: dict[int, Source] = {}
    for slot, value in list(plan.constants.items()):
        part = _repeated_part(value) if isinstance(value, np.ndarray) and value.ndim and value.size else None
        if part is not None:
            extent, elements = part
            plan.types.append(TensorType(elements.shape, plan.types[slot].element_type))  # type: ignore[attr-defined]
            plan.constants[len(plan.types) - 1] = elements
            found[slot] = Source(len(plan.types) - 1, extent)
    for step in plan.steps:
        if has_trait(step.name, "broadcast"):
            source = _source(plan, step, found)
            if source is not None:
                found[step.outs[0]] = source
    return found


def _repeated_part(value: Array) -> tuple[Extent, Array] | None:
    """The elements that an array repeats along its rows, or from row to row."""
    if not any(value.strides):
        return Extent.SCALAR, value[(0,) * value.ndim]
    if value.ndim > 1 and not any(value.strides[:-1]):
        return Extent.PER_COLUMN, value[(0,) * (value.ndim - 1)]
    if value.ndim > 1 and not value.strides[-1]:
        return Extent.PER_ROW, value[..., 0]
    return None


def _source(plan: Plan[BoundStep], step: BoundStep, found: dict[int, Source]) -> Source | None:
    """What a broadcast_in_dim repeats, from before any broadcast that its operand comes from."""
    operand = step.ins[0]
    small, large = static_shape(plan.types[operand]), static_shape(plan.types[step.outs[0]])
    if small is None or large is None:
        return None
    extent = _extent(small, large, step.keywords["broadcast_dimensions"])
    if extent is None:
        return None
    before = found.get(operand, Source(operand, extent))
    if before.extent is Extent.SCALAR or before.extent is extent:
        return before
    return Source(operand, extent)


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
