"""Shardings of tensors and dimensions as data, and their attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from stablehlo_py.ir.attributes import Attribute, StructAttr
from stablehlo_py.ir.types import TensorType, Type
from stablehlo_py.sharding.axes import Axes, Axis, Sizes, total_size

SHARDING = "sdy.sharding"


@dataclass(frozen=True, slots=True)
class DimSharding:
    """How a dimension is divided: along axes, major to minor.

    Attributes:
        axes: The axes.
        is_closed: Whether propagation may not add axes.
        priority: When propagation considers the axes, from 0; None stands for 0.
    """

    axes: Axes = ()
    is_closed: bool = False
    priority: int | None = None

    def num_shards(self, sizes: Sizes) -> int:
        """Return the number of shards."""
        return total_size(self.axes, sizes)


@dataclass(frozen=True, slots=True)
class Sharding:
    """How a tensor is divided.

    Attributes:
        mesh: The mesh: a symbol, or the mesh itself.
        dims: The shardings of the dimensions.
        replicated: The axes along which the tensor is replicated, whatever propagation finds.
        unreduced: The axes along which each device holds a term of a reduction.
        reduction: The kind of the reduction.
    """

    mesh: Attribute
    dims: tuple[DimSharding, ...]
    replicated: Axes = ()
    unreduced: Axes = ()
    reduction: str = "sum"

    @property
    def axes(self) -> Axes:
        """All axes, in the order of the text."""
        return (*[axis for dim in self.dims for axis in dim.axes], *self.replicated, *self.unreduced)

    @property
    def is_replicated(self) -> bool:
        """Test whether no dimension is divided and no reduction is left."""
        return not self.unreduced and not any(dim.axes for dim in self.dims)

    @property
    def is_empty(self) -> bool:
        """Test whether the sharding names no axis."""
        return not self.axes

    def is_like(self, other: Sharding | None) -> bool:
        """Test whether two shardings divide a tensor in the same way; None does not divide it."""
        if self.is_replicated or other is None:
            return self.is_replicated and (other is None or other.is_replicated)
        same = [dim.axes for dim in self.dims] == [dim.axes for dim in other.dims]
        return self.mesh == other.mesh and self.unreduced == other.unreduced and same

    def closed(self) -> Sharding:
        """Return the sharding with closed dimensions, without replicated axes; only axes have priorities."""
        dims = [
            replace(dim, is_closed=True, priority=dim.priority if dim.axes else None) for dim in self.dims
        ]
        return replace(self, dims=tuple(dims), replicated=())

    def with_axes(self, axes: Sequence[Axes]) -> Sharding:
        """Return the sharding with other axes of the dimensions."""
        pairs = zip(self.dims, axes, strict=True)
        return replace(self, dims=tuple([replace(dim, axes=found) for dim, found in pairs]))


def replicated(rank: int, mesh: Attribute, is_closed: bool = False) -> Sharding:
    """Return the sharding of a tensor that no axis divides."""
    return Sharding(mesh, tuple([DimSharding((), is_closed)] * rank))


def rank_of(type: Type) -> int:
    """Return the number of dimensions of a tensor; 0 for another type."""
    return len(type.shape) if isinstance(type, TensorType) else 0


# Attributes


@lru_cache(maxsize=4096)
def from_attribute(attribute: StructAttr) -> Sharding:
    """Return the sharding that an attribute `#sdy.sharding` states."""
    return Sharding(
        attribute["mesh_or_ref"],
        tuple([_dim(dim) for dim in attribute["dim_shardings"]]),
        axes_of(attribute["replicated_axes"]),
        axes_of(attribute["unreduced_axes"]),
        attribute["reduction_op"],
    )


def _dim(dim: StructAttr) -> DimSharding:
    return DimSharding(axes_of(dim["axes"]), dim["is_closed"], dim["priority"])


def axes_of(axes: Sequence[StructAttr]) -> Axes:
    """Return the axes that attributes `#sdy.axis_ref` or `#stablehlo.axis_ref` state."""
    return tuple([_axis(axis) for axis in axes])


def _axis(axis: StructAttr) -> Axis:
    part = axis["sub_axis_info"]
    return Axis(axis["name"], part["pre_size"], part["size"]) if part else Axis(axis["name"])


@lru_cache(maxsize=4096)
def to_attribute(sharding: Sharding) -> StructAttr:
    """Return the attribute `#sdy.sharding` of a sharding."""
    dims = [
        _struct("dimension_sharding", axes=axis_refs(d.axes), is_closed=d.is_closed, priority=d.priority)
        for d in sharding.dims
    ]
    return _struct(
        "sharding",
        mesh_or_ref=sharding.mesh,
        dim_shardings=tuple(dims),
        replicated_axes=axis_refs(sharding.replicated),
        unreduced_axes=axis_refs(sharding.unreduced),
        reduction_op=sharding.reduction,
    )


def axis_refs(axes: Sequence[Axis]) -> tuple[StructAttr, ...]:
    """Return the attributes `#sdy.axis_ref` of axes."""
    return tuple([_axis_ref(axis) for axis in axes])


def _axis_ref(axis: Axis) -> StructAttr:
    part = _struct("sub_axis_info", pre_size=axis.pre_size, size=axis.part) if axis.part else None
    return _struct("axis_ref", name=axis.name, sub_axis_info=part)


def per_value(shardings: Sequence[Sharding]) -> StructAttr:
    """Return the attribute `#sdy.sharding_per_value` of the shardings of several values."""
    return _struct("sharding_per_value", shardings=tuple([to_attribute(each) for each in shardings]))


def from_per_value(attribute: StructAttr) -> list[Sharding]:
    """Return the shardings that an attribute `#sdy.sharding_per_value` states."""
    return [from_attribute(each) for each in attribute["shardings"]]


def manual_axes(names: Sequence[str]) -> StructAttr:
    """Return the attribute `#sdy<manual_axes{...}>` of names."""
    return _struct("manual_axes", value=tuple(names))


def axis_ref_list(axes: Sequence[Axis]) -> StructAttr:
    """Return the attribute `#sdy<axis_ref_list{...}>` of axes."""
    return _struct("axis_ref_list", value=axis_refs(axes))


def _struct(kind: str, /, **fields: Any) -> StructAttr:
    return StructAttr(f"sdy.{kind}", tuple(fields.items()))
