"""Stages on meshes: inline meshes become symbols; axes of size 1 are dropped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    DenseElementsAttr,
    DictAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    integer,
)
from stablehlo_py.ir.core import BlockArgument, Module, Operation, OpResult
from stablehlo_py.ir.origins import derive
from stablehlo_py.ir.types import I64, TensorType
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.sharding.annotations import FunctionResult, Place, transform_shardings
from stablehlo_py.sharding.mesh import Mesh, Meshes, mesh_of
from stablehlo_py.sharding.shardings import Sharding
from stablehlo_py.sharding.stages.symbols import SymbolTable

MESH = "sdy.mesh"
_COPY = "stablehlo.mesh"


def lift_inlined_meshes(module: Module) -> None:
    """Let all shardings refer to meshes by symbol: equal meshes are one, and inline ones get a name."""
    table = SymbolTable(module)
    names: dict[Attribute, str] = {}
    last = 0
    for op in [op for op in module.body.ops if has_trait(op.name, "mesh")]:
        name = str(op.python_value("sym_name"))
        mesh = op.properties["mesh"]
        if mesh in names:
            names[SymbolRefAttr(name)] = names[mesh]
            table.erase(name)
        else:
            names[mesh] = name
            last = module.body.ops.index(op) + 1
    made: list[Operation] = []

    def lifted(sharding: Sharding, place: Place | None) -> Sharding:
        mesh = sharding.mesh
        if mesh not in names:
            if not isinstance(mesh, StructAttr):
                return sharding
            op = Operation(MESH, properties={"sym_name": StringAttr(_name(mesh_of(mesh))), "mesh": mesh})
            derive(op, _owner(place) or module.op)
            names[mesh] = table.insert(op)
            made.append(op)
        return replace(sharding, mesh=SymbolRefAttr(names[mesh]))

    transform_shardings(module, lifted)
    rest = [op for op in module.body.ops if op not in made]
    module.body.ops = [*rest[:last], *made, *rest[last:]]
    for op in module.body.ops:
        stated = op.attribute("mesh")
        if has_trait(op.name, "mesh") and _COPY not in op.attributes and isinstance(stated, StructAttr):
            op.attributes[_COPY] = _dictionary(mesh_of(stated))


def _owner(place: Place | None) -> Operation | BlockArgument | None:
    """Return what has the sharding of a place in the text."""
    match place:
        case FunctionResult():
            return place.function
        case OpResult():
            return place.op
        case BlockArgument():
            return place
        case _:
            return None


def _name(mesh: Mesh) -> str:
    if mesh.is_single_device:
        return f"maximal_mesh_{mesh.device_ids[0]}"
    return "mesh" if mesh.axes else "empty_mesh"


def _dictionary(mesh: Mesh) -> DictAttr:
    """Return a mesh as a dictionary, for readers that do not know the dialect."""
    axes = [DictAttr.of({"name": StringAttr(name), "size": integer(size)}) for name, size in mesh.axes]
    found: dict[str, Attribute] = {"axes": ArrayAttr(tuple(axes))}
    if mesh.device_ids:
        data = np.array(mesh.device_ids, np.int64)
        data.flags.writeable = False
        found["device_ids"] = DenseElementsAttr(TensorType((len(data),), I64), data)
    return DictAttr.of(found)


def remove_size_one_axes(module: Module) -> None:
    """Remove axes of size 1 from all shardings; the meshes keep them."""
    meshes = Meshes(module)
    if not any(1 in meshes.find(op.properties["mesh"]).sizes.values() for op in meshes.ops.values()):
        return

    def without(sharding: Sharding, place: Place | None) -> Sharding:
        sizes = meshes.find(sharding.mesh).sizes
        dims = []
        for dim in sharding.dims:
            axes = tuple([axis for axis in dim.axes if axis.size(sizes) != 1])
            priority = dim.priority if axes or not dim.is_closed else None
            dims.append(replace(dim, axes=axes, priority=priority))
        lists = [
            tuple([axis for axis in axes if axis.size(sizes) != 1])
            for axes in (sharding.replicated, sharding.unreduced)
        ]
        return replace(sharding, dims=tuple(dims), replicated=lists[0], unreduced=lists[1])

    transform_shardings(module, without)
