"""Where an op was made: the Python lines that its location names, in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.locations import CallSiteLoc, FileLoc, FusedLoc, Location, NameLoc

MAX_FRAMES = 4  # that are told


class Frame(NamedTuple):
    """A position in a file, and the function that it is in where the location says so."""

    file: str
    line: int
    column: int
    function: str = ""

    @property
    def place(self) -> str:
        """`model.py:12:5`."""
        return f"{self.file}:{self.line}:{self.column}"

    def __str__(self) -> str:
        return f"{self.place}, in {self.function}" if self.function else self.place


def origin(location: Location | None) -> list[str]:
    """`from model.py:12:5, in layer (jit(f)/dot_general)`, and the callers; [] for an unknown location."""
    scope, location = (location.name, location.child) if isinstance(location, NameLoc) else ("", location)
    found = list(islice(frames(location), MAX_FRAMES + 1))
    if not found:
        return [f"from {scope}"] if scope else []
    first, *callers = found
    notes = [f"from {first} ({scope})" if scope else f"from {first}"]
    notes += [f"  called from {frame}" for frame in callers[: MAX_FRAMES - 1]]
    return [*notes, "  called from further out"] if len(found) > MAX_FRAMES else notes


def positions(location: Location | None) -> tuple[Frame, ...]:
    """The innermost of the positions that a location names: as many as are told."""
    return tuple(islice(frames(location), MAX_FRAMES))


def frames(location: Location | None) -> Iterator[Frame]:
    """The positions in files that a location names, the innermost first."""
    match location:
        case FileLoc(file, line, column):
            yield Frame(file, line, column)
        case NameLoc(name, FileLoc(file, line, column)):
            yield Frame(file, line, column, name)
        case NameLoc(child=child):
            yield from frames(child)
        case CallSiteLoc(callee, caller):
            yield from frames(callee)
            yield from frames(caller)
        case FusedLoc(locations=parts):
            yield from next(filter(None, (list(islice(frames(p), MAX_FRAMES + 1)) for p in parts)), [])


def scope_name(location: Location | None) -> str:
    """The name that a location gives, such as `jit(f)/layer_0/dot_general`; "" if it gives none."""
    match location:
        case NameLoc(name=name):
            return name
        case CallSiteLoc(callee=callee):
            return scope_name(callee)
        case FusedLoc(locations=parts):
            return next(filter(None, map(scope_name, parts)), "")
    return ""


def python_line(op: Operation) -> str:
    """`train.py:40:7`, the innermost place that made an op; "" if its location names none."""
    frame = next(frames(op.location), None)
    return frame.place if frame else ""
