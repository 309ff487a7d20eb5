"""Groups of processes by the axes of a mesh: `#stablehlo.replica_group_mesh_axes`."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np

from stablehlo_py.diagnostics import Unsupported
from stablehlo_py.ir.attributes import DenseElementsAttr, StructAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.kernels.registry import Array

MESH_AXES = "stablehlo.replica_group_mesh_axes"


def mesh_groups(groups: StructAttr, module: Module) -> Array:
    """The groups as rows of ids: processes differ along the axes that are named, and agree in the others.

    Raises Unsupported if the mesh, or an axis, is not there.
    """
    mesh = _mesh(groups["mesh"], module)
    axes = [(axis["name"], axis["size"]) for axis in mesh["axes"]]
    wanted = [_part(axis, dict(axes)) for axis in groups["axes"].value]
    parts = [part for name, size in axes for part in _split(name, size, wanted)]
    sizes = [size for _, _, size in parts]
    count = prod(sizes)
    ids = _device_ids(mesh)
    devices = np.arange(count) if ids is None else ids
    along = [parts.index(part) for part in wanted]
    order = [axis for axis in range(len(parts)) if axis not in along] + along
    rows: Array = devices.reshape(sizes).transpose(order).reshape(-1, prod(sizes[i] for i in along))
    return rows


_Part = tuple[str, int, int]  # a part of an axis: its name, the size of what is before it, and its own


def _part(axis: StructAttr, sizes: dict[str, int]) -> _Part:
    name = axis["name"]
    if name not in sizes:
        raise Unsupported(f"the mesh has no axis {name}")
    part = axis["sub_axis_info"]
    return (name, part["pre_size"], part["size"]) if isinstance(part, StructAttr) else (name, 1, sizes[name])


def _split(name: str, size: int, wanted: list[_Part]) -> list[_Part]:
    """An axis in the parts that are wanted, and those between them."""
    cuts = {1, size} | {cut for n, before, own in wanted if n == name for cut in (before, before * own)}
    ordered = sorted(cuts)
    pairs = pairwise(ordered)
    return [(name, before, after // before) for before, after in pairs] or [(name, 1, size)]


def _device_ids(mesh: StructAttr) -> Array | None:
    ids = mesh["device_ids"]
    if ids is None:
        return None
    values = ids.value if isinstance(ids, DenseElementsAttr) else np.array(ids, np.int64)
    return values.reshape(-1) if values.size else None


def _mesh(mesh: object, module: Module) -> StructAttr:
    """The mesh itself, where a symbol names it."""
    if isinstance(mesh, SymbolRefAttr):
        named = [op for op in module.body.ops if op.plain("sym_name") == mesh.root]
        found = [op.attribute(name) for op in named for name in ("mesh", "stablehlo.mesh")]
        mesh = next((attribute for attribute in found if attribute is not None), None)
    if not isinstance(mesh, StructAttr) or mesh.name != "stablehlo.mesh":
        raise Unsupported("the axes and sizes of the mesh are not stated")
    return mesh
