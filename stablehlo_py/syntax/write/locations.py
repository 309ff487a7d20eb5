"""Printing of locations, and of their aliases (`#loc3`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stablehlo_py.ir.attributes import Attribute
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.locations import UNKNOWN, CallSiteLoc, FileLoc, FusedLoc, Location, NameLoc, UnknownLoc
from stablehlo_py.ir.records import dataclass
from stablehlo_py.opset.definition import has_trait
from stablehlo_py.syntax.write.attributes import quoted
from stablehlo_py.syntax.write.fragments import Expansion, Fragment, commas, join


def location_text(location: Location) -> str:
    """Return the text of a location, in full, such as `loc("name"("file":1:2))`."""
    return join("loc(", location, ")")


def _file(location: FileLoc) -> Sequence[Fragment]:
    text = f"{quoted(location.file)}:{location.line}:{location.column}"
    end = (location.end_line or location.line, location.end_column or location.column)
    if end == (location.line, location.column):
        return (text,)
    return (f"{text} to {'' if end[0] == location.line else end[0]}:{end[1]}",)


def _name(location: NameLoc) -> Sequence[Fragment]:
    if isinstance(location.child, UnknownLoc):
        return (quoted(location.name),)
    return (quoted(location.name), "(", location.child, ")")


def _fused(location: FusedLoc) -> Sequence[Fragment]:
    return ("fused", *_metadata(location.metadata), "[", *commas(location.locations), "]")


def _metadata(metadata: Attribute | None) -> Sequence[Fragment]:
    return () if metadata is None else ("<", metadata, ">")


EXPANSIONS: Mapping[type, Expansion] = {
    UnknownLoc: lambda location: ("unknown",),
    FileLoc: _file,
    NameLoc: _name,
    CallSiteLoc: lambda location: ("callsite(", location.callee, " at ", location.caller, ")"),
    FusedLoc: _fused,
}


def default_offset(place: Operation | BlockArgument, text: str) -> int:
    """The offset in the text that MLIR uses as the location of an op or argument that has none."""
    if isinstance(place, Operation) and has_trait(place.name, "late_location") and text[place.offset] != '"':
        return text.index("(", place.offset)  # its pretty form starts to count after the name
    return place.offset


def location_of(module: Module, place: Operation | BlockArgument) -> Location:
    """Return the location of an op or argument: by default, as in MLIR, the position in the text.

    Parts that the pretty form of an op omits have the op's location.
    """
    if place.location is not None:
        return place.location
    source = module.source
    owner = place.block.parent_op if isinstance(place, BlockArgument) else place.parent_op
    if owner is not None and place.offset == (-1 if isinstance(place, BlockArgument) else owner.offset):
        return location_of(module, owner)
    if place.offset < 0:
        return FileLoc(source.name, 0, 0) if place is module.op and source.text else UNKNOWN
    return FileLoc(source.name, *source.position(default_offset(place, source.text)))


def children(location: Location) -> tuple[Location, ...]:
    """Return the locations nested directly in a location."""
    match location:
        case NameLoc(_, child):
            return () if isinstance(child, UnknownLoc) else (child,)
        case CallSiteLoc(callee, caller):
            return (callee, caller)
        case FusedLoc(locations):
            return locations
    return ()


@dataclass(slots=True)
class _Entry:
    """A distinct location, with its children's positions in the table."""

    location: Location
    children: tuple[int, ...]
    depth: int
    met: bool = False
    late: bool = True  # whether its alias may be defined after the module
    alias: str = ""


class LocationAliases:
    """The distinct locations of a module and their aliases.

    Locations are recorded in the order in which the printer visits them; `name_all` then names them, those
    without children first, and `text` refers to them. Equality is structural. Nothing recurses, because
    chains of call sites are long.
    """

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._by_key: dict[object, int] = {}
        self._by_id: dict[int, int] = {}
        self._known: list[Location] = []  # keeps them alive, so that each id stays one location's
        self._met: list[_Entry] = []

    def note(self, location: Location, late: bool = True) -> None:
        """Record a location and those nested in it.

        Args:
            location: The location.
            late: Whether the aliases may be defined after the module.
        """
        root = self._index(location)
        pending = [root]
        while pending:
            entry = self._entries[pending.pop()]
            if not entry.met:
                entry.met = True
                self._met.append(entry)
                pending.extend(reversed(entry.children))
        if not late:
            self._define_early(root)

    def name_all(self) -> None:
        """Assign the aliases."""
        self._met.sort(key=lambda entry: entry.depth)
        for number, entry in enumerate(self._met):
            entry.alias = f"#loc{number or ''}"

    def definitions(self, late: bool) -> Iterator[str]:
        """The lines `#loc1 = loc(...)` that go after the module, or before it."""
        for entry in self._met:
            if entry.late == late:
                yield f"{entry.alias} = loc({self._body(entry)})\n"

    def text(self, location: Location, alias: bool = True) -> str:
        """`loc(#loc3)`; without `alias`, only nested locations are printed as aliases."""
        entry = self._entries[self._index(location)]
        return f"loc({entry.alias if alias else self._body(entry)})"

    def _body(self, entry: _Entry) -> str:
        names = [self._entries[index].alias for index in entry.children]
        match entry.location:
            case NameLoc(name) if names:
                return f"{quoted(name)}({names[0]})"
            case CallSiteLoc():
                return f"callsite({names[0]} at {names[1]})"
            case FusedLoc(_, metadata):
                return join("fused", *_metadata(metadata), f"[{', '.join(names)}]")
        return join(entry.location)

    def _define_early(self, root: int) -> None:
        pending = [root]
        while pending:
            entry = self._entries[pending.pop()]
            if entry.late:
                entry.late = False
                pending.extend(entry.children)

    def _index(self, root: Location) -> int:
        """Return the position of a location in the table, entering it and its children if they are new."""
        pending = [root]
        while pending:
            location = pending[-1]
            unknown = [child for child in children(location) if id(child) not in self._by_id]
            if unknown:
                pending.extend(unknown)
                continue
            pending.pop()
            if id(location) not in self._by_id:
                self._enter(location)
        return self._by_id[id(root)]

    def _enter(self, location: Location) -> None:
        inner = tuple([self._by_id[id(child)] for child in children(location)])
        key = _key(location, inner)
        index = self._by_key.get(key)
        if index is None:
            index = self._by_key[key] = len(self._entries)
            depth = 1 + max([self._entries[child].depth for child in inner], default=0)
            self._entries.append(_Entry(location, inner, depth))
        self._by_id[id(location)] = index
        self._known.append(location)


def _key(location: Location, inner: tuple[int, ...]) -> object:
    """Return the identity of a location, given the indices of its children."""
    match location:
        case NameLoc(name):
            return NameLoc, name, inner
        case CallSiteLoc():
            return CallSiteLoc, inner
        case FusedLoc(_, metadata):
            return FusedLoc, metadata, inner
    return location
