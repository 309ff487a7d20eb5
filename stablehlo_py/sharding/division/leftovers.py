"""What is left of a mesh in a divided program: groups along its axes, and shardings inside of regions."""

from __future__ import annotations

from stablehlo_py.ir.attributes import ArrayAttr, DictAttr, StructAttr, SymbolRefAttr
from stablehlo_py.ir.core import Module, Operation
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
        if own_sharding_name(op):
            redirect(op.results[0], op.operands[0])
            edits.remove(op)
    edits.apply()
    module.body.ops = [op for op in module.body.ops if not has_trait(op.name, "mesh")]


def drop_shardings(function: Operation, key: str) -> None:
    """Remove the shardings of a function's arguments, or of its results.

    Args:
        function: The function, which is changed.
        key: The property that has them, such as "arg_attrs".
    """
    stored = function.properties.get(key)
    if not isinstance(stored, ArrayAttr):
        return
    entries = [
        DictAttr(tuple([(k, v) for k, v in entry if k != SHARDING])) if isinstance(entry, DictAttr) else entry
        for entry in stored.value
    ]
    if any(isinstance(entry, DictAttr) and entry.items for entry in entries):
        function.properties[key] = ArrayAttr(tuple(entries))
    else:
        del function.properties[key]
