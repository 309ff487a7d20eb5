"""What is left of a mesh in a divided program: groups along its axes, and shardings inside of regions."""

from __future__ import annotations

from stablehlo_py.ir.attributes import StructAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.sharding.annotations import own_sharding_name
from stablehlo_py.sharding.division.devices import Devices
from stablehlo_py.sharding.division.emitter import matrix
from stablehlo_py.sharding.edits import Edits, redirect
from stablehlo_py.sharding.shardings import SHARDING, axes_of

_GROUPS = "replica_groups"


def drop_mesh(module: Module, devices: Devices) -> None:
    """Remove the mesh of a divided program, and all that refers to it.

    Groups along axes become lists of devices. Regions, such as the body of a reduction, lose their shardings.

    Args:
        module: The divided module, which is changed.
        devices: The devices of its mesh.
    """
    edits = Edits()
    for op in list(module.walk()):
        op.attributes.pop(SHARDING, None)
        groups = op.properties.get(_GROUPS)
        if isinstance(groups, StructAttr) and isinstance(groups["mesh"], SymbolRefAttr):
            op.properties[_GROUPS] = matrix(devices.groups(axes_of(groups["axes"].value)))
        if op.operands and own_sharding_name(op):
            redirect(op.results[0], op.operands[0])
            edits.remove(op)
    edits.apply()
    module.body.ops = [op for op in module.body.ops if not has_trait(op.name, "mesh")]
