"""Encoding of modules as plain bytecode, and as portable artifacts for a version of StableHLO."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from stablehlo_py.artifacts.bytecode.emitter import Piece
from stablehlo_py.artifacts.bytecode.properties import SEGMENTS, layouts_of
from stablehlo_py.artifacts.bytecode.sections import NEWEST
from stablehlo_py.artifacts.bytecode.writer import Slot, Store, Stored, write_bytecode
from stablehlo_py.artifacts.dialects.registry import VHLO
from stablehlo_py.artifacts.faults import Unwritable
from stablehlo_py.artifacts.load import PORTABLE
from stablehlo_py.artifacts.vhlo.forms import forms_of
from stablehlo_py.artifacts.vhlo.lower import lowered_dictionary, to_vhlo
from stablehlo_py.artifacts.vhlo.mixed import CAST, is_foreign, with_casts
from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DictAttr
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.version import CURRENT, MINIMUM, Version, version_of
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.syntax.write.locations import location_of

PRODUCER = "MLIR23.0.0git"
# The release whose bytes these are: properties that came later are left out of plain bytecode where they are
# absent, and no operation is converted from a later form.
WRITER = version_of("1.17.0")


BYTECODE_VERSIONS = (  # by the first version of StableHLO
    (Version(0, 15), 6),
    (Version(0, 14), 4),
    (Version(0, 12), 3),
    (Version(0, 10), 1),
    (MINIMUM, 0),
)


def bytecode_version(target: Version) -> int:
    """Return the version of the bytecode of portable artifacts.

    Args:
        target: The version of StableHLO.
    """
    return next(bytecode for since, bytecode in BYTECODE_VERSIONS if target >= since)


def plain_bytecode(module: Module, bytecode: int = NEWEST) -> bytes:
    """Return a module as MLIR bytecode with its own dialects.

    Args:
        module: The module.
        bytecode: The version of the bytecode, 0 to 6.
    """
    return b"".join(plain_pieces(module, bytecode))


def plain_pieces(module: Module, bytecode: int = NEWEST) -> list[Piece]:
    """Return a module as MLIR bytecode in pieces: large constants are views of the module's."""
    return write_bytecode(
        module,
        bytecode,
        PRODUCER,
        _store_plain,
        lambda place: location_of(module, place),
        creation="read" if module.container else "parsed",
    )


def portable_artifact(module: Module, target: Version, allow_other_dialects: bool = False) -> bytes:
    """Return a module as a portable artifact.

    Args:
        module: The module, which fits the version.
        target: The version of StableHLO.
        allow_other_dialects: Whether ops and attributes of other dialects are written, as they are.

    Raises:
        Unwritable: Part of the module has no form in VHLO.
    """
    casts: Mapping[Operation, bool] = {}
    if allow_other_dialects and any(is_foreign(op) for op in module.walk()):
        module, casts = with_casts(module)
    pieces = write_bytecode(
        module,
        bytecode_version(target),
        f"{PORTABLE}{target}",
        _portable_store(target, allow_other_dialects, casts),
        lambda place: location_of(module, place),
        is_mixed=allow_other_dialects,
    )
    return b"".join(pieces)


def store_of(is_portable: bool) -> Store:
    """Return the encoding of ops, for the newest version.

    Args:
        is_portable: Whether for a portable artifact, or for plain bytecode.
    """
    return _portable_store(CURRENT, False, {}) if is_portable else _store_plain


def _store_plain(op: Operation) -> Stored:
    definition = lookup(op.name)
    if definition is None:
        slots = [Slot("", DictAttr.of(op.properties), False)] if op.properties else []
        return Stored(op.name, "", False, op.attributes, slots, {})
    late = _late_properties(definition)
    slots = [
        _slot(op, name, op.properties.get(name), may_be_absent)
        for name, may_be_absent in layouts_of(definition)[0]
        if name in op.properties or name not in late
    ]
    sizes = {name: op.properties[name] for name in SEGMENTS if name in op.properties}
    segments = {name: value for name, value in sizes.items() if isinstance(value, DenseArrayAttr)}
    return Stored(op.name, "", True, op.attributes, slots, segments)


def _slot(op: Operation, name: str, value: Attribute | None, may_be_absent: bool) -> Slot:
    """Return a property of an op; raise Unwritable if it is missing."""
    if value is None and not may_be_absent:
        raise Unwritable(op, f"{op.name} has no attribute {name}, and is not valid without it")
    return Slot(name, value, may_be_absent)


@cache
def _late_properties(definition: OpDef) -> set[str]:
    """Return the properties that are newer than the releases whose plain bytecode is written."""
    return {name for row in definition.revisions if version_of(row.since) > WRITER for name in row.adds}


def _portable_store(target: Version, is_mixed: bool, casts: Mapping[Operation, bool]) -> Store:
    def store(op: Operation) -> Stored:
        if op in casts:
            return Stored(CAST, VHLO if casts[op] else "", True, {}, [], {})
        definition = lookup(op.name)
        forms = forms_of(op.name)
        if definition is None or not forms:
            if not (is_mixed or op.is_module):
                raise Unwritable(op, f"{op.name} has no form in portable artifacts")
            return _store_plain(op)
        form = [form for form in forms if form.since <= target][-1]
        downgraded = any(target < newer.since <= WRITER for newer in forms)
        stored = to_vhlo(definition, op)
        slots = [_slot(op, name, stored.get(name), may_be_absent=False) for name in form.attributes]
        attributes = lowered_dictionary(op)
        return Stored(form.name, VHLO, True, attributes, slots, {}, downgraded)

    return store
