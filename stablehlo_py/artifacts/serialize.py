"""Serialization of modules: plain bytecode, and portable artifacts for a version of StableHLO."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from stablehlo_py.artifacts.bytecode.properties import SEGMENTS, layouts_of
from stablehlo_py.artifacts.bytecode.sections import NEWEST
from stablehlo_py.artifacts.bytecode.writer import Slot, Store, Stored, write_bytecode
from stablehlo_py.artifacts.dialects.registry import VHLO, NoEncoding
from stablehlo_py.artifacts.faults import Unwritable
from stablehlo_py.artifacts.load import PORTABLE
from stablehlo_py.artifacts.vhlo.forms import forms_of
from stablehlo_py.artifacts.vhlo.lower import lowered_dictionary, to_vhlo
from stablehlo_py.artifacts.vhlo.printer import vhlo_text
from stablehlo_py.artifacts.vhlo.text import text_of
from stablehlo_py.diagnostics.diagnostic import Diagnostic, SerializationError
from stablehlo_py.ir.attributes import Attribute, DenseArrayAttr, DictAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation
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


class Need(Protocol):
    """A feature that a program uses, with the version of StableHLO that introduced it."""

    @property
    def version(self) -> Version:
        """The version."""

    @property
    def what(self) -> str:
        """The feature."""

    @property
    def place(self) -> Operation | BlockArgument:
        """What uses it."""


def serialize_module(
    module: Module, kind: str, target: str | None, needs: Callable[[Iterable[Operation]], Iterable[Need]]
) -> bytes:
    """Return the bytes of a module; see `api.serialize`.

    Args:
        module: A valid module.
        kind: "portable", "bytecode" or "vhlo".
        target: The version of StableHLO, or its name.
        needs: Finds the versions that ops need.

    Raises:
        SerializationError: With everything in the program that cannot be written, or not for this target.
        ValueError: For another kind, or a target that is no known version.
    """
    if kind not in ("portable", "bytecode", "vhlo"):
        raise ValueError(f'kind must be "portable", "bytecode" or "vhlo", not {kind!r}')
    if kind == "bytecode" and target is not None:
        raise ValueError('only kind="portable" and "vhlo" have a target: plain bytecode has no versions')
    version = CURRENT if target is None else version_of(target)
    late = [need for need in needs(module.walk()) if need.version > version] if kind != "bytecode" else []
    refused: list[Unwritable] = []
    try:
        if not late:
            if kind == "vhlo":
                return vhlo_text(module, version).encode("utf-8", "surrogateescape")
            return plain_bytecode(module) if kind == "bytecode" else portable_artifact(module, version)
    except Unwritable as error:
        refused = [error]
    refused = refusals(module, kind != "bytecode") or refused
    found = [
        Diagnostic("error", "target", error.message, *module.position(error.op), error.notes)
        for error in refused
    ] + [
        Diagnostic(
            "error",
            "target",
            f"{need.what} needs StableHLO {need.version}, and the target is {version}",
            *module.position(need.place),
        )
        for need in late
    ]
    raise SerializationError(module.name, sorted(found, key=lambda d: (d.line, d.column)))


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
