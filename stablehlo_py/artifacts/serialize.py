"""Serialization of modules: plain bytecode, and portable artifacts for a version of StableHLO."""

from __future__ import annotations

from stablehlo_py.artifacts.bytecode.properties import SEGMENTS, layouts_of
from stablehlo_py.artifacts.bytecode.sections import NEWEST
from stablehlo_py.artifacts.bytecode.writer import Slot, Store, Stored, write_bytecode
from stablehlo_py.artifacts.dialects.registry import VHLO, NoEncoding
from stablehlo_py.artifacts.faults import Unwritable
from stablehlo_py.artifacts.load import PORTABLE
from stablehlo_py.artifacts.vhlo.forms import forms_of
from stablehlo_py.artifacts.vhlo.lower import lowered_dictionary, to_vhlo
from stablehlo_py.artifacts.vhlo.text import text_of
from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DictAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.version import CURRENT, MINIMUM, Version, version_of
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.syntax.write.locations import location_of

PRODUCER = "MLIR23.0.0git"
# The release whose bytes these are: properties that came later are left out of plain bytecode where they are
# absent, and no operation is converted from a later form.
WRITER = version_of("1.17.0")


_BYTECODE_VERSIONS = (  # by the first version of StableHLO
    (Version(0, 15), 6),
    (Version(0, 14), 4),
    (Version(0, 12), 3),
    (Version(0, 10), 1),
    (MINIMUM, 0),
)


_ADVICE = {"chlo": ("JAX lowers the ops of chlo to stablehlo before it writes one",)}


def bytecode_version(target: Version) -> int:
    """Return the version of the bytecode of portable artifacts.

    Args:
        target: The version of StableHLO.
    """
    return next(bytecode for since, bytecode in _BYTECODE_VERSIONS if target >= since)


def plain_bytecode(module: Module, bytecode: int = NEWEST) -> bytes:
    """Return a module as MLIR bytecode with its own dialects.

    Args:
        module: The module.
        bytecode: The version of the bytecode, 0 to 6.
    """
    return write_bytecode(module, bytecode, PRODUCER, _store_plain, lambda place: location_of(module, place))


def portable_artifact(module: Module, target: Version) -> bytes:
    """Return a module as a portable artifact.

    Args:
        module: The module, which fits the version.
        target: The version of StableHLO.

    Raises:
        Unwritable: Part of the module has no form in VHLO.
    """
    producer = f"{PORTABLE}{target}"
    store = _portable_store(target)
    bytecode = bytecode_version(target)
    return write_bytecode(module, bytecode, producer, store, lambda place: location_of(module, place))


def refusals(module: Module, is_portable: bool) -> list[Unwritable]:
    """Return every part of a module that cannot be written for any version.

    Args:
        module: The module.
        is_portable: Whether the module is written as a portable artifact, or as plain bytecode.
    """
    store = _portable_store(CURRENT) if is_portable else _store_plain
    found = []
    for op in module.walk():
        try:
            stored = store(op)
        except Unwritable as error:
            found.append(error)
            continue
        found += _unencoded(op, stored) if stored.dialects == VHLO else []
    return found


def _unencoded(op: Operation, stored: Stored) -> list[Unwritable]:
    """Return what VHLO cannot encode among an op's attributes and the types that it defines."""
    arguments = [a for region in op.regions for block in region.blocks for a in block.arguments]
    slots = {slot.name: slot.value for slot in stored.slots if slot.value is not None}
    values = [*(slots | stored.attributes).values()]
    types = dict.fromkeys(value.type for value in (*op.results, *arguments))
    found: dict[str, Unwritable] = {}
    for value in (*values, *types):
        try:
            text_of(value)
        except NoEncoding as error:
            found.setdefault(str(error), Unwritable(op, f"{op.name}: {error}"))
    return list(found.values())


def _store_plain(op: Operation) -> Stored:
    definition = lookup(op.name)
    if definition is None:
        slots = [Slot("", DictAttr.of(op.properties), False)] if op.properties else []
        return Stored(op.name, "", False, op.attributes, slots, [])
    late = _late_properties(definition)
    slots = [
        _slot(op, name, op.properties.get(name), may_be_absent)
        for name, may_be_absent in layouts_of(definition)[0]
        if name in op.properties or name not in late
    ]
    sizes = [op.properties[name] for name in SEGMENTS if name in op.properties]
    segments = [value for value in sizes if isinstance(value, DenseArrayAttr)]
    return Stored(op.name, "", True, op.attributes, slots, segments)


def _slot(op: Operation, name: str, value: Attribute | None, may_be_absent: bool) -> Slot:
    """Return a property of an op; raise Unwritable if it is missing."""
    if value is None and not may_be_absent:
        raise Unwritable(op, f"{op.name} has no attribute {name}, and is not valid without it")
    return Slot(name, value, may_be_absent)


def _late_properties(definition: OpDef) -> set[str]:
    """Return the properties that are newer than the releases whose plain bytecode is written."""
    return {name for row in definition.revisions if version_of(row.since) > WRITER for name in row.adds}


def _portable_store(target: Version) -> Store:
    def store(op: Operation) -> Stored:
        definition = lookup(op.name)
        forms = forms_of(op.name)
        if definition is None or not forms:
            return _checked_plain(op)
        form = [form for form in forms if form.since <= target][-1]
        converted = any(target < newer.since <= WRITER for newer in forms)
        stored = to_vhlo(definition, op)
        slots = [_slot(op, name, stored.get(name), may_be_absent=False) for name in form.attributes]
        attributes = lowered_dictionary(op)
        return Stored(form.name, VHLO, True, attributes, slots, [], converted)

    return store


def _checked_plain(op: Operation) -> Stored:
    if op.is_module:
        return _store_plain(op)
    dialect = op.name.partition(".")[0]
    message = f"{op.name} is of the dialect {dialect}, which a portable artifact cannot hold"
    raise Unwritable(op, message, *_ADVICE.get(dialect, ()))
