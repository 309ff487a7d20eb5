"""Op names of a file: the names of ops in the IR, and the encoding of their attributes and properties."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.bytecode.entries import Entries
from stablehlo_py.artifacts.bytecode.properties import (
    Slots,
    form_layout,
    layouts_of,
    read_dictionary,
    read_properties,
    segments_of,
)
from stablehlo_py.artifacts.bytecode.sections import Layout, OpName
from stablehlo_py.artifacts.faults import Fault
from stablehlo_py.artifacts.vhlo.forms import Form, form, unknown_op
from stablehlo_py.artifacts.vhlo.mapping import to_stablehlo
from stablehlo_py.diagnostics.suggestions import nearest
from stablehlo_py.ir.attributes import Attribute, DictAttr
from stablehlo_py.ir.core import Region
from stablehlo_py.opset.definition import OpDef, all_definitions, lookup
from stablehlo_py.opset.search import belongs_here
from stablehlo_py.syntax.foreign_dialects import NEWER, UNREGISTERED, advice
from stablehlo_py.syntax.read.properties import split_properties

Attributes = dict[str, Attribute]
_NONE: tuple[Attributes, Attributes] = ({}, {})
_VHLO = "vhlo."


class OpReader:
    """Reader of the attributes and properties of ops of one name, which caches equal ones.

    Args:
        stored: The name in the file.
        definition: The definition of the op, if it has one.
        vhlo: The form of the op in VHLO, if it has one.
        layout: The tables of the file.
        entries: The attributes and types of the file.
    """

    def __init__(
        self, stored: OpName, definition: OpDef | None, vhlo: Form | None, layout: Layout, entries: Entries
    ) -> None:
        self._name = vhlo.op if vhlo is not None else stored.name
        self._definition = definition
        self._form = vhlo
        self._registered = stored.registered
        self._layout = layout
        self._entries = entries
        self._known: dict[tuple[int, int], tuple[Attributes, Attributes]] = {}
        self._segments = segments_of(definition) if definition is not None and vhlo is None else ()
        self._slots = _slots(definition, vhlo)

    def name(self, region: Region) -> str:
        """Return the op's name in the IR, which may depend on the region that contains it."""
        if self._name == "func.return" and self._form is not None:
            parent = region.parent
            return "func.return" if parent is not None and parent.name == "func.func" else "stablehlo.return"
        return self._name

    def attributes(self, attributes: int, properties: int, at: int) -> tuple[Attributes, Attributes]:
        """Return the attributes and the properties of an op.

        Args:
            attributes: The index of the attributes, -1 for none.
            properties: The index of the properties, -1 for none.
            at: The offset of the op, for faults.
        """
        key = (attributes, properties)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._read(attributes, properties, at)
        return found

    def _read(self, attributes: int, properties: int, at: int) -> tuple[Attributes, Attributes]:
        given: Attributes = {}
        stored: Attributes = {}
        if attributes >= 0:
            dictionary = self._entries.attribute_at(attributes, at)
            if not isinstance(dictionary, DictAttr):
                raise Fault(at, f"expected a dictionary for the attributes of an op, found {dictionary}")
            given = dict(dictionary.items)
        if properties >= 0:
            stored = self._properties(properties, at)
        if self._definition is None:
            return given, stored
        if self._form is not None:
            inside = self._form.attributes
            stored.update({name: given.pop(name) for name in inside if name in given})
            stored = self._upgraded(stored, at)
        return split_properties(given, stored, self._definition)

    def _upgraded(self, stored: Attributes, at: int) -> Attributes:
        assert self._form is not None and self._definition is not None
        missing = [name for name in self._form.attributes if name not in stored]
        if missing:
            raise Fault(at, f"expected the attributes {', '.join(missing)} of {self._form.name}")
        try:
            return to_stablehlo(self._definition, self._form, stored)
        except ValueError as error:
            raise Fault(at, f"{self._form.name}: {error}") from None

    def _properties(self, index: int, at: int) -> Attributes:
        blobs = self._layout.properties
        if index >= len(blobs):
            raise Fault(at, f"expected the index of one of {len(blobs)} properties, found {index}")
        blob = Cursor(self._entries.data, *blobs[index])
        if not self._registered or (self._slots is None and blob.is_done):
            return read_dictionary(blob, self._entries)
        if self._slots is None:
            message = f"the properties of {self._name} cannot be read: the op is not defined here"
            raise Fault(at, message)
        version = self._layout.header.version
        return read_properties(blob, self._entries, self._slots, self._segments, version)


def _slots(definition: OpDef | None, vhlo: Form | None) -> Sequence[Slots] | None:
    if vhlo is not None:
        return form_layout(vhlo)
    return None if definition is None else layouts_of(definition)


def op_reader(
    stored: OpName, layout: Layout, entries: Entries, allow_unregistered: bool, allow_newer: bool, *, at: int
) -> OpReader:
    """Return the reader of the ops of a name.

    Args:
        stored: The name in the file.
        layout: The tables of the file.
        entries: The attributes and types of the file.
        allow_unregistered: Whether ops of unknown dialects are accepted.
        allow_newer: Whether undefined ops of known dialects are, too.
        at: The offset of the op, for faults.

    Raises:
        Fault: The op is unknown.
    """
    vhlo = form(stored.name) if stored.name.startswith(_VHLO) else None
    definition = lookup(vhlo.op if vhlo is not None else stored.name)
    if stored.name.startswith(_VHLO) and vhlo is None:
        raise Fault(at, unknown_op(stored.name))
    is_ours = belongs_here(stored.name)
    if definition is None and not (allow_newer if is_ours else allow_unregistered):
        close = nearest(stored.name, [known.name for known in all_definitions()])
        notes = advice(stored.name) or ([f"did you mean {close}?"] if close else [])
        accepted = [NEWER] if is_ours else [] if notes else [UNREGISTERED]
        raise Fault(at, f"unregistered operation '{stored.name}'", *notes, *accepted)
    return OpReader(stored, definition, vhlo, layout, entries)
