"""Names of values: where they are visible, and uses before their definition."""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import islice

from stablehlo_py.diagnostics.suggestions import nearest
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import Type
from stablehlo_py.syntax.errors import SourceError

_SUGGESTIONS, _COMPARED = 10, 2000  # names that are looked for, and names that they are compared with


class ForwardReference(Value):
    """Stands for a value that is used before its definition."""

    __slots__ = ("offset",)

    def __init__(self, type: Type, offset: int) -> None:
        super().__init__(type)
        self.offset = offset


class ValueScope:
    """The values that a region can name; a region of an isolated op has a scope of its own.

    Nested regions share it, and take their names back when they end. A name whose definition does not parse
    stands for any value (None), so that its uses are not errors too; so does one in `skipped` text.
    """

    def __init__(self, skipped: Set[str] = frozenset()) -> None:
        self.values: dict[str, Value | None] = {}
        self._skipped = skipped
        self._levels: list[list[str]] = [[]]
        self._forward: dict[str, ForwardReference] = {}

    def enter(self) -> None:
        """Begins a nested region."""
        self._levels.append([])

    def leave(self) -> None:
        """Ends a nested region: its names are no longer visible."""
        for name in self._levels.pop():
            del self.values[name]

    def define(self, name: str, value: Value, offset: int) -> SourceError | None:
        """Makes `name` stand for a value from here on; gives an error if it cannot, or had another type."""
        if name in self.values:
            return SourceError(offset, f"redefinition of SSA value '{name}'", code="ssa")
        self.values[name] = value
        self._levels[-1].append(name)
        forward = self._forward.pop(name, None) if self._forward else None
        if forward is None:
            return None
        forward.replace_all_uses(value)
        if forward.type is value.type:
            return None
        message = (
            f"definition of SSA value '{name}' has type '{value.type}', but it was used as '{forward.type}'"
        )
        return SourceError(offset, message, code="ssa")

    def poison(self, names: Iterable[str]) -> None:
        """Makes names stand for anything, where they do not stand for a value."""
        for name in names:
            if name not in self.values:
                self.values[name] = None
                self._levels[-1].append(name)

    def find(self, name: str, type: Type, offset: int) -> Value:
        """The value of a name that `values` does not have, or has as None. Raises SourceError."""
        if name in self.values or name in self._skipped:
            return Value(type)
        base, _, number = name.partition("#")
        if number and base in self.values:
            if number == "0" or self.values[base] is None:
                return self.values[base] or Value(type)
            raise SourceError(offset, f"reference to invalid result number {number} of {base}", code="ssa")
        return self._forward.setdefault(name, ForwardReference(type, offset))

    def close(self) -> list[SourceError]:
        """Ends the scope: every name that was used and never defined."""
        return [self._undeclared(*each, at < _SUGGESTIONS) for at, each in enumerate(self._forward.items())]

    def _undeclared(self, name: str, forward: ForwardReference, suggests: bool) -> SourceError:
        """An error, with the name that was meant; one number is as near to another as any."""
        known = islice(self.values, _COMPARED) if suggests and not name[1:].isdigit() else ()
        close = nearest(name, known)
        notes = [f"did you mean {close}?"] if close else []
        return SourceError(forward.offset, f"use of undeclared SSA value name {name}", *notes, code="ssa")
