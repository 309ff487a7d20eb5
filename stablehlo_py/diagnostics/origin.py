"""Source locations of ops: the Python lines that created them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import PurePath

from stablehlo_py.diagnostics.diagnostic import Frame
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.locations import CallSiteLoc, FileLoc, FusedLoc, Location, NameLoc
from stablehlo_py.ir.torch_locations import described

MAX_FRAMES = 4  # shown in a diagnostic
_COLUMN = re.compile(r"(?<=:)(\d+):\d+$", re.ASCII)  # after a line


def origin(location: Location | None) -> list[str]:
    """Format a location as notes: `from model.py:12:5, in layer (jit(f)/dot_general)`, and the callers.

    Args:
        location: The location of an op.

    Returns:
        The notes; [] for an unknown location.
    """
    location = described(location)
    scope, location = (location.name, location.child) if isinstance(location, NameLoc) else ("", location)
    found = list(islice(frames(location), MAX_FRAMES + 1))
    if not found:
        return [f"from {scope}"] if scope else []
    first, *callers = found
    notes = [f"from {first} ({scope})" if scope else f"from {first}"]
    notes += [f"  called from {frame}" for frame in callers[: MAX_FRAMES - 1]]
    return [*notes, "  ..."] if len(found) > MAX_FRAMES else notes


def positions(location: Location | None) -> tuple[Frame, ...]:
    """Return the innermost MAX_FRAMES positions in a location."""
    return tuple(islice(frames(location), MAX_FRAMES))


def frames(location: Location | None) -> Iterator[Frame]:
    """Yield the file positions in a location, innermost first."""
    match described(location):
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
    """Return the name in a location, such as `jit(f)/layer_0/dot_general`, or ""."""
    match described(location):
        case NameLoc(name=name):
            return name
        case CallSiteLoc(callee=callee):
            return scope_name(callee)
        case FusedLoc(locations=parts):
            return next(filter(None, map(scope_name, parts)), "")
    return ""


def python_line(op: Operation) -> str:
    """Return the innermost source position of an op, such as `train.py:40:7`, or ""."""
    frame = next(frames(op.location), None)
    return frame.place if frame else ""


def file_and_line(place: str) -> str:
    """Return the name of the file and the line of a source position: `train.py:40` of `src/train.py:40:7`."""
    return _COLUMN.sub(r"\1", PurePath(place).name)


def names_of(op: Operation, values: Iterable[Value] | None = None) -> list[str]:
    """Return the names of an op that patterns are matched against.

    Args:
        op: The op.
        values: The values by whose names it is known; its results by default.

    Returns:
        The names of values (`%3` and `3`), the name of the op (`stablehlo.add` and `add`), the name in its
        location, and its Python lines, such as `train.py:40`, with and without folders.
    """
    places = [(frame.file, frame.line) for frame in frames(op.location)]
    lines = [f"{each}:{line}" for file, line in places for each in (file, PurePath(file).name)]
    known = [each for value in values or op.results for each in (str(value), str(value)[1:])]
    names = [*known, op.name, op.name.rpartition(".")[2], scope_name(op.location), *lines]
    return [each for each in names if each]
