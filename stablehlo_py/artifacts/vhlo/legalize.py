"""Conversion of modules between StableHLO's ops and VHLO's, in the IR.

In the IR, attributes and types of VHLO are opaque: their text is that of files.
"""

from __future__ import annotations

from stablehlo_py.artifacts.dialects.registry import NoEncoding
from stablehlo_py.artifacts.faults import Fault, Unwritable
from stablehlo_py.artifacts.refusals import format_faults, version_faults
from stablehlo_py.artifacts.vhlo.forms import forms_of
from stablehlo_py.artifacts.vhlo.lower import lowered_dictionary, to_vhlo
from stablehlo_py.artifacts.vhlo.mixed import erase_casts, is_foreign, with_casts
from stablehlo_py.artifacts.vhlo.reader import convert_op
from stablehlo_py.artifacts.vhlo.text import text_of
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.attributes import Attribute, OpaqueAttr
from stablehlo_py.ir.core import Module, Operation, Value
from stablehlo_py.ir.types import OpaqueType, Type
from stablehlo_py.ir.version import Version
from stablehlo_py.opset.calls import symbol_references
from stablehlo_py.opset.definition import lookup


def is_vhlo_module(module: Module) -> bool:
    """Test whether a module contains ops of VHLO."""
    return any(op.name.startswith("vhlo.") for op in module.walk())


def legalize_to_vhlo(module: Module, target: Version, allow_other_dialects: bool) -> list[Diagnostic]:
    """Convert the ops of a module to those of VHLO, in place.

    Args:
        module: A valid module.
        target: The version of StableHLO whose forms the ops have.
        allow_other_dialects: Whether ops of other dialects stay, with casts around them.

    Returns:
        What cannot be converted; if there is anything, the module is not changed.
    """
    faults = version_faults(module, target, allow_other_dialects)
    if not allow_other_dialects:
        faults = faults or format_faults(module, is_portable=True)
    faults = faults or [
        Diagnostic("error", "target", f"{op.name} {fault}", *module.position(op))
        for op in module.walk()
        if is_foreign(op) and (fault := _foreign_fault(op))
    ]
    if faults:
        return faults
    casts: dict[Operation, bool] = {}
    if allow_other_dialects and any(is_foreign(op) for op in module.walk()):
        made, casts = with_casts(module)
        module.op = made.op
    for op in list(module.walk()):
        try:
            _to_vhlo(op, target, casts)
        except (Unwritable, NoEncoding) as error:
            return [Diagnostic("error", "target", str(error), *module.position(op))]
    return []


def _foreign_fault(op: Operation) -> str:
    """Return why an op of another dialect cannot be among ops of VHLO; "" if it can."""
    if any(symbol_references(op)):
        return "refers to symbols, which VHLO does not have"
    if any(not is_foreign(inner) for block in op.blocks for inner in block.ops):
        return "has a region with ops of StableHLO, whose types would not be those of its definition"
    return ""


def _to_vhlo(op: Operation, target: Version, casts: dict[Operation, bool]) -> None:
    """Convert an op, and the values that it and its blocks define."""
    definition = lookup(op.name)
    forms = forms_of(op.name)
    if casts.get(op):
        _retype(op.result)
    if definition is None or not forms:
        return
    newest = [form for form in forms if form.since <= target][-1]
    stored = to_vhlo(definition, op)
    properties = {name: stored[name] for name in newest.attributes if name in stored}
    op.attributes = {name: _opaque(value) for name, value in (properties | lowered_dictionary(op)).items()}
    op.properties = {}
    op.name = newest.name
    for value in (*op.results, *[a for block in op.blocks for a in block.arguments]):
        _retype(value)


def _retype(value: Value) -> None:
    value.type = _opaque_type(value.type)


def _opaque(value: Attribute) -> Attribute:
    return OpaqueAttr(text_of(value))


def _opaque_type(type: Type) -> Type:
    return OpaqueType(text_of(type))


def legalize_to_stablehlo(module: Module) -> list[Diagnostic]:
    """Convert the ops of VHLO in a module to those of StableHLO, in place.

    Args:
        module: A module; ops of other dialects stay.

    Returns:
        What cannot be converted.
    """
    found = []
    for op in list(module.walk()):
        try:
            convert_op(op, allow_unregistered=True)
        except (Fault, ValueError, TypeError) as error:
            found.append(Diagnostic("error", "parse", str(error), *module.position(op)))
    if not found:
        erase_casts(module.op)
    return found
