"""Numbering of attributes, types, op names and dialects, in LLVM's order.

Attributes, types and op names are collected in the order of a walk. The most used come first; entries of a
dialect are grouped as far as their numbers take equally many bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import is_not
from typing import Any, NamedTuple

from stablehlo_py.artifacts.bytecode.emitter import Emitter, Piece
from stablehlo_py.artifacts.dialects.blobs import collapsed
from stablehlo_py.artifacts.dialects.registry import VHLO, Encoding
from stablehlo_py.ir.attributes import ArrayAttr, DenseElementsAttr, DictAttr, StringAttr

DISCARDABLE = "discardable"  # the dialect key of a VHLO op's attribute dictionary
_DICTIONARY = 1  # the builtin dialect's code of a dictionary
_BITS = 7  # of a number in each byte of a varint


class Reference(NamedTuple):
    """A reference in an entry's bytes: to an attribute or type by key, to a string or resource by name.

    Attributes:
        flag: The lowest bit of an attribute's varint, if it has one.
    """

    kind: str
    target: Any
    flag: bool | None = None


@dataclass(slots=True, eq=False)
class Numbered:
    """An attribute, type or op name, with its dialect, number of uses, and number."""

    dialect: int
    parts: list[Piece | Reference] = field(default_factory=list)
    is_encoded: bool = True
    name: str = ""
    registered: bool = True
    uses: int = 1
    number: int = -1


class Keys:
    """Keys of attributes: the dialects to encode in, "vhlo" or "" for its own, and the value.

    Args:
        is_mixed: Whether attributes that VHLO has no form of are encoded in their own dialects.
    """

    def __init__(self, is_mixed: bool) -> None:
        self._is_mixed = is_mixed

    def attribute(self, dialects: str, value: Any) -> tuple[str, Any]:
        """Return the key of an attribute or location."""
        value = canonical(value)
        is_own = dialects == VHLO and self._is_mixed and not Encoding.exists(VHLO, value)
        return ("" if is_own else dialects), value


class Recorder:
    """A sink that records the bytes of an entry and its unresolved references.

    Args:
        dialects: The dialects to encode in, "vhlo" or "".
        keys: The keys of the file.
    """

    def __init__(self, dialects: str, keys: Keys) -> None:
        self.dialects = dialects
        self._keys = keys
        self.parts: list[Piece | Reference] = []
        self._emitter = Emitter()

    def finished(self) -> list[Piece | Reference]:
        """Return the bytes and references, in order."""
        if len(self._emitter):
            self.parts += self._emitter.pieces
            self._emitter = Emitter()
        return self.parts

    def _refer(self, reference: Reference) -> None:
        self.finished()
        self.parts.append(reference)

    def byte(self, value: int) -> None:
        """Write a byte."""
        self._emitter.byte(value)

    def varint(self, value: int) -> None:
        """Write a varint."""
        self._emitter.varint(value)

    def signed(self, value: int) -> None:
        """Write a zigzag varint."""
        self._emitter.signed(value)

    def raw(self, data: bytes | memoryview) -> None:
        """Write bytes."""
        self._emitter.raw(data)

    def string(self, value: str) -> None:
        """Write a reference to a string."""
        self._refer(Reference("string", value))

    def attribute(self, value: Any, flag: bool | None = None) -> None:
        """Write a reference to an attribute, with a flag in the lowest bit if given."""
        self._refer(Reference("attribute", self._keys.attribute(self.dialects, value), flag))

    def plain_attribute(self, value: Any) -> None:
        """Write a reference to an attribute in the encoding of its own dialect."""
        self._refer(Reference("attribute", ("", value)))

    def type(self, value: Any) -> None:
        """Write a reference to a type."""
        self._refer(Reference("type", (self.dialects, value)))

    def resource(self, key: str) -> None:
        """Write a reference to a resource."""
        self._refer(Reference("resource", key))


class Numbering:
    """The numbers of one file, by key.

    Args:
        keys: The keys of the file.
    """

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self.dialects: dict[str, int] = {}
        self.attributes: dict[Any, Numbered] = {}
        self.types: dict[Any, Numbered] = {}
        self._known_types: dict[tuple[str, int], Numbered] = {}  # by the identity of the type
        self.op_names: dict[str, Numbered] = {}
        self.resources: dict[str, int] = {}

    def op_name(self, name: str, registered: bool) -> Numbered:
        """Count a use of an op name; return its entry."""
        found = self.op_names.get(name)
        if found is not None:
            found.uses += 1
            return found
        dialect, _, rest = name.partition(".")
        made = self.op_names[name] = Numbered(self._dialect(dialect), name=rest, registered=registered)
        return made

    def attribute(self, dialects: str, value: Any) -> Numbered:
        """Count a use of an attribute or location, and of what it refers to if it is new."""
        key = self._keys.attribute(dialects, value)
        found = self.attributes.get(key)
        if found is None:
            self._count(Reference("attribute", key))
            return self.attributes[key]
        found.uses += 1
        return found

    def type(self, dialects: str, value: Any) -> Numbered:
        """Count a use of a type; return its entry."""
        found = self._known_types.get((dialects, id(value)))
        if found is None:
            self._count(Reference("type", (dialects, value)))
            found = self._known_types[dialects, id(value)] = self.types[dialects, value]
        else:
            found.uses += 1
        return found

    def _count(self, root: Reference) -> None:
        pending: list[Iterator[Piece | Reference]] = [iter((root,))]
        while pending:
            part = next(pending[-1], None)
            if part is None:
                pending.pop()
            elif isinstance(part, Reference):
                new = self._use(part)
                if new is not None:
                    pending.append(iter(new.parts))

    def _use(self, reference: Reference) -> Numbered | None:
        """Count one reference; return the entry if it is new."""
        if reference.kind == "resource":
            self.resources.setdefault(reference.target, len(self.resources))
        if reference.kind not in ("attribute", "type"):
            return None
        table = self.attributes if reference.kind == "attribute" else self.types
        found = table.get(reference.target)
        if found is not None:
            found.uses += 1
            return None
        dialects, value = reference.target
        if dialects == DISCARDABLE:
            made = table[reference.target] = Numbered(self._dialect("builtin"))
            made.parts = _discardable_parts(value, self._keys)
            return made
        encoding = Encoding.of(dialects, value, is_type=reference.kind == "type")
        made = table[reference.target] = Numbered(self._dialect(encoding.dialect))
        recorder = Recorder(dialects, self._keys)
        made.is_encoded = encoding.write(value, recorder)
        made.parts = recorder.finished()
        return made

    def _dialect(self, name: str) -> int:
        return self.dialects.setdefault(name, len(self.dialects))

    def finish(self) -> None:
        """Assign the numbers, and sort the tables by them."""
        self.attributes = _ordered(self.attributes)
        self.types = _ordered(self.types)
        self.op_names = _ordered(self.op_names)


def canonical(value: Any) -> Any:
    """Return the value that MLIR has for an attribute: constants of equal elements are splats, also in it."""
    match value:
        case DenseElementsAttr(type, data) if data.size > 1:
            element = collapsed(data)
            return value if element is data else DenseElementsAttr(type, element)
        case ArrayAttr(items):
            found = tuple([canonical(item) for item in items])
            return ArrayAttr(found) if any(map(is_not, found, items)) else value
        case DictAttr(items):
            named = tuple([(name, canonical(item)) for name, item in items])
            changes = any(a is not b for (_, a), (_, b) in zip(named, items, strict=True))
            return DictAttr(named) if changes else value
    return value


def _discardable_parts(dictionary: DictAttr, keys: Keys) -> list[Piece | Reference]:
    """Return the attributes of a VHLO op: a builtin dictionary with builtin names and VHLO values."""
    recorder = Recorder(VHLO, keys)
    recorder.varint(_DICTIONARY)
    recorder.varint(len(dictionary.items))
    for name, value in dictionary.items:
        recorder.plain_attribute(StringAttr(name))
        recorder.attribute(value)
    return recorder.finished()


def _ordered(table: dict[Any, Numbered]) -> dict[Any, Numbered]:
    """Return a table by decreasing number of uses, and by dialect among numbers of equally many bytes."""
    rows = sorted(table.items(), key=lambda row: -row[1].uses)
    first = 0
    found: list[tuple[Any, Numbered]] = []
    for size in range(1, _BITS + 2):
        group = rows[len(found) : 1 << _BITS * size]
        group.sort(key=lambda row: (row[1].dialect != first, row[1].dialect))
        found += group
        first = group[-1][1].dialect if group else first
    for number, (_, entry) in enumerate(found):
        entry.number = number
    return dict(found)
