"""Meshes: axes with sizes, and the order of the devices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from stablehlo_py.ir.attributes import Attribute, StructAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.sharding.axes import Sizes
from stablehlo_py.sharding.errors import ShardingError


@dataclass(frozen=True)
class Mesh:
    """A mesh of devices.

    Attributes:
        axes: The names and sizes of the axes, major to minor.
        device_ids: The devices in the order of the mesh; empty if they are 0, 1, 2, ...
    """

    axes: tuple[tuple[str, int], ...]
    device_ids: tuple[int, ...] = ()

    @cached_property
    def sizes(self) -> Sizes:
        """The sizes of the axes by name, in order."""
        return dict(self.axes)

    @property
    def num_devices(self) -> int:
        """The number of devices."""
        return prod([size for _, size in self.axes])

    @property
    def is_single_device(self) -> bool:
        """Test whether the mesh is one device, which has an id (Shardy's maximal mesh)."""
        return not self.axes and len(self.device_ids) == 1


def mesh_of(attribute: StructAttr) -> Mesh:
    """Return the mesh that an attribute `#sdy.mesh` states."""
    return Mesh(
        tuple([(axis["name"], axis["size"]) for axis in attribute["axes"]]), tuple(attribute["device_ids"])
    )


class Meshes:
    """The meshes of a module, by their symbols."""

    def __init__(self, module: Module) -> None:
        self.ops: dict[str, Operation] = {
            str(op.python_value("sym_name")): op for op in module.body.ops if has_trait(op.name, "mesh")
        }
        self._found: dict[Attribute, Mesh | None] = {}

    def find(self, mesh: Attribute) -> Mesh:
        """Return the mesh that a symbol or attribute refers to.

        Raises:
            KeyError: If it is not defined.
        """
        if mesh not in self._found:
            self._found[mesh] = self._find(mesh)
        found = self._found[mesh]
        if found is None:
            raise KeyError(f"undefined mesh {mesh}")
        return found

    def _find(self, mesh: Attribute) -> Mesh | None:
        if isinstance(mesh, SymbolRefAttr):
            op = self.ops.get(mesh.root)
            mesh = op.properties["mesh"] if op is not None else mesh
        return mesh_of(mesh) if isinstance(mesh, StructAttr) and mesh.name == "sdy.mesh" else None


def has_mesh(module: Module) -> bool:
    """Test whether a module has a mesh of several devices."""
    stated = [op.attribute("mesh") for op in Meshes(module).ops.values()]
    return any(mesh_of(mesh).axes for mesh in stated if isinstance(mesh, StructAttr))


def mesh_of_devices(module: Module, most: int) -> Mesh:
    """Return the one mesh of several devices of a program; one without axes if there is none.

    Args:
        module: The module.
        most: How many devices it may have.

    Raises:
        ShardingError: For meshes of different devices, or of too many.
    """
    meshes = Meshes(module)
    found = {name: meshes.find(op.properties["mesh"]) for name, op in meshes.ops.items()}
    several = {mesh: meshes.ops[name] for name, mesh in found.items() if mesh.axes}
    if len(several) > 1:
        op = list(several.values())[1]
        raise ShardingError(op, "a program is divided over one mesh, and this is another one")
    mesh, op = next(iter(several.items()), (Mesh(()), module.op))
    if mesh.num_devices > most:
        raise ShardingError(op, f"a mesh may have {most} devices, and this one has {mesh.num_devices}")
    return mesh
