"""Source locations: `loc(...)` attributes, and positions in the parsed text."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field
from functools import cached_property, partial
from typing import Any

from stablehlo_py.ir.records import dataclass


class Location:
    """A source location attribute; it usually refers to a line of the Python program that created the op."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class UnknownLoc(Location):
    """`loc(unknown)`."""


@dataclass(frozen=True, slots=True)
class FileLoc(Location):
    """`loc("file":line:column to end_line:end_column)`; the end is optional."""

    file: str
    line: int
    column: int
    end_line: int | None = None
    end_column: int | None = None


@dataclass(frozen=True, slots=True)
class NameLoc(Location):
    """`loc("name"(child))`."""

    name: str
    child: Location = UnknownLoc()


@dataclass(frozen=True, slots=True)
class CallSiteLoc(Location):
    """`loc(callsite(callee at caller))`."""

    callee: Location
    caller: Location


@dataclass(frozen=True, slots=True)
class FusedLoc(Location):
    """`loc(fused<metadata>[a, b])`."""

    locations: tuple[Location, ...]
    metadata: Any = None


UNKNOWN = UnknownLoc()


class DeferredLocation(partial[Location]):
    """A call that decodes a location of a file. Operations and arguments make it on first access."""

    __slots__ = ()

    def __reduce__(self) -> Any:
        return self().__reduce_ex__(4)  # copies are those of the location


class LocationField:
    """The attribute `location`, which is stored as `_location`, perhaps deferred."""

    def __get__(self, place: Any, owner: type) -> Location | None:
        found: Location | DeferredLocation | None = place._location
        if isinstance(found, DeferredLocation):
            found = place._location = found()
        return found

    def __set__(self, place: Any, location: Location | DeferredLocation | None) -> None:
        place._location = location


@dataclass(frozen=True)
class Source:
    """A named text, which maps offsets to lines and columns.

    Args:
        name: Its name, usually the path of a file.
        text: The text.
        first_line: The number of the first line, which exceeds 1 for a part of a file.
        start: The offset at which the program starts, if it is a part of the text.
        end: The offset at which the program ends; None for the end of the text.
    """

    name: str
    text: str = field(repr=False)
    first_line: int = 1
    start: int = 0
    end: int | None = None

    def part(self, start: int, end: int) -> Source:
        """Return the source of a program that is a part of the text, whose offsets are those of the text."""
        found = Source(self.name, self.text, self.first_line, start, end)
        found.__dict__["_line_starts"] = self._line_starts
        return found

    @property
    def program(self) -> str:
        """The text of the program."""
        return self.text[self.start : self.end]

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character offset; lines count from `first_line`, columns from 1."""
        row = bisect_right(self._line_starts, offset)
        return row + self.first_line - 1, offset - self._line_starts[row - 1] + 1

    def line(self, number: int) -> str:
        """Return the text of a line, without its terminator."""
        start = self._line_starts[number - self.first_line]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)]
