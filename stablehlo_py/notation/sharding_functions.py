"""Notation functions on shardings: Shardy's attributes and the meshes that they refer to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf, prod

from stablehlo_py.ir.attributes import StructAttr, SymbolRefAttr
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import TensorType, TupleType, Type, UnrankedTensorType
from stablehlo_py.notation.environment import Environment
from stablehlo_py.notation.registry import defined
from stablehlo_py.notation.sorts import Undefined
from stablehlo_py.opset.definition import has_trait

_MANUAL_AXES = "sdy.manual_axes"


def _around(op: Operation) -> Iterator[Operation]:
    """Yield the ancestors of an op, innermost first."""
    outer = op.parent_op
    while outer is not None:
        yield outer
        outer = outer.parent_op


def _find_mesh(env: Environment, sharding: StructAttr) -> StructAttr | None:
    mesh = sharding["mesh_or_ref"]
    if not isinstance(mesh, SymbolRefAttr):
        return _checked(mesh)
    module = next((op for op in _around(env.op) if op.is_module), None)
    ops = [op for block in module.blocks for op in block.ops] if module else []
    named = (
        op.attribute("mesh")
        for op in ops
        if has_trait(op.name, "mesh") and op.python_value("sym_name") == mesh.root
    )
    return _checked(next(named, None))


def _checked(mesh: object) -> StructAttr | None:
    return mesh if isinstance(mesh, StructAttr) and mesh.name == "sdy.mesh" else None


def _mesh(env: Environment, sharding: StructAttr) -> StructAttr:
    """Return the mesh of a sharding; raise Undefined if it is not defined."""
    found = _find_mesh(env, sharding)
    if found is None:
        raise Undefined("undefined mesh")
    return found


def _axes(sharding: StructAttr) -> list[StructAttr]:
    """Return the axes and sub-axes that a sharding uses."""
    spread = [axis for dimension in sharding["dim_shardings"] for axis in dimension["axes"]]
    return [*spread, *sharding["replicated_axes"], *sharding["unreduced_axes"]]


# Meshes


@defined("axis_names(Any) -> List[Str]")
def axis_names(mesh: StructAttr) -> list[str]:
    """The names of the axes of a mesh."""
    return [axis["name"] for axis in mesh["axes"]]


@defined("axis_sizes(Any) -> List[Int]")
def axis_sizes(mesh: StructAttr) -> list[int]:
    """The sizes of the axes of a mesh."""
    return [axis["size"] for axis in mesh["axes"]]


@defined("device_ids(Any) -> List[Int]")
def device_ids(mesh: StructAttr) -> Sequence[int]:
    """The device ids of a mesh in its order; empty if they are 0, 1, 2, ..."""
    return tuple(mesh["device_ids"])


# Shardings


@defined("shardings(Any) -> List[Any]")
def shardings(x: StructAttr) -> Sequence[StructAttr]:
    """The shardings of a list of values."""
    return tuple(x["shardings"])


@defined("is_mesh_given(Any) -> Bool", contextual=True)
def is_mesh_given(env: Environment, sharding: StructAttr) -> bool:
    """Test whether the mesh of a sharding is defined in the module or inline."""
    return _find_mesh(env, sharding) is not None


@defined("axes_of_mesh(Any) -> List[Str]", contextual=True)
def axes_of_mesh(env: Environment, sharding: StructAttr) -> list[str]:
    """The names of the axes of a sharding's mesh."""
    return axis_names(_mesh(env, sharding))


@defined("used_axes(Any) -> List[Str]")
def used_axes(sharding: StructAttr) -> list[str]:
    """The names of the axes that a sharding uses, also as sub-axes."""
    return [axis["name"] for axis in _axes(sharding)]


@defined("is_each_axis_used_once(Any) -> Bool")
def is_each_axis_used_once(sharding: StructAttr) -> bool:
    """Test whether a sharding uses each axis and each sub-axis at most once."""
    return axis_used_twice(sharding) is None


def axis_used_twice(sharding: StructAttr) -> str | None:
    """Return the name of an axis that a sharding uses twice, in whole or in part, or None."""
    spans: dict[str, list[tuple[float, float]]] = {}
    for axis in _axes(sharding):
        part = axis["sub_axis_info"]
        span = (part["pre_size"], part["pre_size"] * part["size"]) if part else (1, inf)
        spans.setdefault(axis["name"], []).append(span)
    for name, found in spans.items():
        if any(start < end for (_, end), (start, _) in pairwise(sorted(found))):
            return name
    return None


@defined("num_dimensions(Any) -> Int")
def num_dimensions(sharding: StructAttr) -> int:
    """The number of dimensions of a sharding."""
    return len(sharding["dim_shardings"])


@defined("sharded_rank(Any, Type) -> Int", contextual=True)
def sharded_rank(env: Environment, sharding: StructAttr, x: Type) -> int | None:
    """The number of dimensions of a sharding of `x`; 0 in a mesh of a single device."""
    mesh = _mesh(env, sharding)
    if isinstance(x, TupleType) and len(x.types) == 1:
        x = x.types[0]
    if not mesh["axes"] and mesh["device_ids"]:
        return 0
    if isinstance(x, TensorType):
        return len(x.shape)
    return None if isinstance(x, UnrankedTensorType) or hasattr(x, "shape") else 0


# Manual computations


@defined("names(Any) -> List[Str]")
def names(manual_axes: StructAttr) -> Sequence[str]:
    """The names in a list of axes."""
    return tuple(manual_axes["value"])


@defined("manual_axes_around() -> List[Str]", contextual=True)
def manual_axes_around(env: Environment) -> list[str]:
    """The manual axes of the enclosing manual computations."""
    found = [op.attribute("manual_axes") for op in _around(env.op)]
    lists = [axes for axes in found if isinstance(axes, StructAttr) and axes.name == _MANUAL_AXES]
    return [name for axes in lists for name in axes["value"]]


@defined("num_shards(Any, Any) -> List[Int]", contextual=True)
def num_shards(env: Environment, sharding: StructAttr, manual_axes: StructAttr) -> list[int]:
    """The number of shards of each dimension along manual axes."""
    mesh = _mesh(env, sharding)
    sizes = dict(zip(axis_names(mesh), axis_sizes(mesh), strict=True))
    return [
        prod([_size(axis, sizes) for axis in dimension["axes"] if axis["name"] in manual_axes["value"]])
        for dimension in sharding["dim_shardings"]
    ]


def _size(axis: StructAttr, sizes: dict[str, int]) -> int:
    part = axis["sub_axis_info"]
    found: int | None = part["size"] if part else sizes.get(axis["name"])
    if found is None:
        raise Undefined("not an axis of the mesh")
    return found


@defined("are_manual_axes_first(Any, Any) -> Bool")
def are_manual_axes_first(sharding: StructAttr, manual_axes: StructAttr) -> bool:
    """Test whether each dimension is sharded along manual axes before any others."""
    free = [
        [axis["name"] not in manual_axes["value"] for axis in dimension["axes"]]
        for dimension in sharding["dim_shardings"]
    ]
    return all(dimension == sorted(dimension) for dimension in free)
