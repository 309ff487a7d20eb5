"""Device meshes: process groups along mesh axes, and Shardy's shardings of tensors."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise
from math import prod

import numpy as np

from stablehlo_py.diagnostics.diagnostic import Unsupported
from stablehlo_py.ir.attributes import DenseElementsAttr, StructAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.ir.records import dataclass
from stablehlo_py.kernels.registry import Array, Ints

MESH_AXES = "stablehlo.replica_group_mesh_axes"
SHARDINGS = "sdy.sharding_per_value"


def mesh_groups(groups: StructAttr, module: Module) -> Array:
    """Return the replica groups that a mesh and its axes define.

    Args:
        groups: A `replica_group_mesh_axes` attribute: a mesh and the axes along which processes communicate.
        module: The module that declares the mesh.

    Returns:
        The groups as rows of ids: members differ along the axes and agree in all others.

    Raises:
        Unsupported: The mesh or an axis does not exist.
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


_Part = tuple[str, int, int]  # a sub-axis: the name of its axis, its pre-size and its size


def _part(axis: StructAttr, sizes: dict[str, int]) -> _Part:
    name = axis["name"]
    if name not in sizes:
        raise Unsupported(f"the mesh has no axis {name}")
    part = axis["sub_axis_info"]
    return (name, part["pre_size"], part["size"]) if isinstance(part, StructAttr) else (name, 1, sizes[name])


def _split(name: str, size: int, wanted: list[_Part]) -> list[_Part]:
    """Split an axis into the requested sub-axes and those between them."""
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
    """Return the mesh, or the one that a symbol refers to."""
    if isinstance(mesh, SymbolRefAttr):
        named = [op for op in module.body.ops if op.python_value("sym_name") == mesh.root]
        found = [op.attribute(name) for op in named for name in ("mesh", "stablehlo.mesh")]
        mesh = next((attribute for attribute in found if attribute is not None), None)
    if not isinstance(mesh, StructAttr) or mesh.name not in ("stablehlo.mesh", "sdy.mesh"):
        raise Unsupported("the axes and sizes of the mesh are unknown")
    return mesh


# Shardy


@dataclass(frozen=True, slots=True)
class TensorSharding:
    """The sharding of a tensor over a mesh.

    Attributes:
        mesh: The name of the mesh, for messages.
        axes: The names of the mesh axes.
        devices: The device ids, with a dimension for each mesh axis.
        dimensions: For each dimension of the tensor, the mesh axes that shard it.
    """

    mesh: str
    axes: tuple[str, ...]
    devices: Array
    dimensions: tuple[tuple[str, ...], ...]

    def count(self, axes: Iterable[str]) -> int:
        """Return the number of devices along mesh axes."""
        return prod([self.devices.shape[self.axes.index(axis)] for axis in axes])

    def along(self, axes: Iterable[str], device: int) -> Ints:
        """Return the devices that differ from a device along `axes` only."""
        kept = set(self.axes) - set(axes)
        at = self._place(device)
        where = tuple([at[i] if axis in kept else slice(None) for i, axis in enumerate(self.axes)])
        return tuple(self.devices[where].reshape(-1).tolist())

    def part(self, shape: Ints, axes: Collection[str], device: int) -> tuple[slice, ...]:
        """Return the slices of a global array that a device holds.

        Args:
            shape: The shape of the global array.
            axes: The mesh axes to consider; sharding along others is ignored.
            device: The id of the device.
        """
        at = self._place(device)
        slices = []
        for size, names in zip(shape, self.counted(axes), strict=True):
            index = 0
            for name in names:
                index = index * self.count([name]) + at[self.axes.index(name)]
            step = size // self.count(names)
            slices.append(slice(index * step, (index + 1) * step))
        return tuple(slices)

    def counted(self, axes: Collection[str]) -> list[list[str]]:
        """Return for each dimension its mesh axes that are in `axes`."""
        return [[name for name in names if name in axes] for names in self.dimensions]

    def _place(self, device: int) -> list[int]:
        (found,) = np.argwhere(self.devices == device).tolist()
        return [int(index) for index in found]


def tensor_shardings(shardings: StructAttr, module: Module) -> tuple[TensorSharding, ...]:
    """Return the sharding of each tensor.

    Args:
        shardings: A `#sdy.sharding_per_value` attribute.
        module: The module that declares the mesh.

    Raises:
        Unsupported: A sharding uses a sub-axis.
    """
    return tuple([_tensor_sharding(sharding, module) for sharding in shardings["shardings"]])


def _tensor_sharding(sharding: StructAttr, module: Module) -> TensorSharding:
    reference = sharding["mesh_or_ref"]
    mesh = _mesh(reference, module)
    dimensions = [dimension["axes"] for dimension in sharding["dim_shardings"]]
    if any(axis["sub_axis_info"] for axes in dimensions for axis in axes):
        raise Unsupported("sharding along a sub-axis is not supported")
    sizes = [axis["size"] for axis in mesh["axes"]]
    ids = _device_ids(mesh)
    devices = np.arange(prod(sizes)) if ids is None else ids
    return TensorSharding(
        f"@{reference.root}" if isinstance(reference, SymbolRefAttr) else "the mesh",
        tuple([axis["name"] for axis in mesh["axes"]]),
        devices.reshape(sizes),
        tuple([tuple([axis["name"] for axis in axes]) for axes in dimensions]),
    )
