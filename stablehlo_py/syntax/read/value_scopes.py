"""Scopes of SSA values: visible names, forward references, undefined values."""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import islice

from stablehlo_py.diagnostics.suggestions import nearest
from stablehlo_py.ir.core import Value
from stablehlo_py.ir.types import Type
from stablehlo_py.syntax.errors import SourceError

_SUGGESTIONS, _COMPARED = 10, 2000  # maximum number of names that get suggestions, and of candidates


class ForwardReference(Value):
    """A placeholder for a value that is used before its definition.

    Args:
        type: The type at the first use.
        offset: The offset of the first use.
    """

    __slots__ = ("offset",)

    def __init__(self, type: Type, offset: int) -> None:
        super().__init__(type)
        self.offset = offset


class ValueScope:
    """The values that are visible in a region; a region of an isolated op has a scope of its own.

    Nested regions share the scope, and their names are removed when they end. A name whose definition does
    not parse matches any value (None), so that its uses are not reported; so does one in `skipped`.

    Args:
        skipped: Names of values in unparsable text.
    """

    def __init__(self, skipped: Set[str]) -> None:
        self.values: dict[str, Value | None] = {}
        self._skipped = skipped
        self._levels: list[list[str]] = [[]]
        self._forward: dict[str, ForwardReference] = {}

    def enter(self) -> None:
        """Enter a nested region."""
        self._levels.append([])

    def leave(self) -> None:
        """Leave a nested region, whose names are no longer visible."""
        for name in self._levels.pop():
            del self.values[name]

    def define(self, name: str, value: Value, offset: int) -> SourceError | None:
        """Define a name; return an error for a redefinition, or for uses with another type.

        Args:
            name: The name.
            value: The value.
            offset: The offset of the definition.
        """
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
        """Make undefined names match any value."""
        for name in names:
            if name not in self.values:
                self.values[name] = None
                self._levels[-1].append(name)

    def find(self, name: str, type: Type, offset: int) -> Value:
        """Return the value of a name that `values` lacks, or has as None.

        Args:
            name: The name.
            type: The type at the use.
            offset: The offset of the use.

        Returns:
            A result of a group, a placeholder of the given type, or a forward reference.

        Raises:
            SourceError: The name is a result number that its op does not have.
        """
        if name in self.values or name in self._skipped:
            return Value(type)
        base, _, number = name.partition("#")
        if number and base in self.values:
            if number == "0" or self.values[base] is None:
                return self.values[base] or Value(type)
            raise SourceError(offset, f"reference to invalid result number {number} of {base}", code="ssa")
        return self._forward.setdefault(name, ForwardReference(type, offset))

    def close(self) -> list[SourceError]:
        """End the scope; return an error for each name that is used but not defined."""
        return [self._undeclared(*each, at < _SUGGESTIONS) for at, each in enumerate(self._forward.items())]

    def _undeclared(self, name: str, forward: ForwardReference, suggests: bool) -> SourceError:
        """Return the error for an undefined name, with a similar defined name unless it is a number."""
        known = islice(self.values, _COMPARED) if suggests and not name[1:].isdigit() else ()
        close = nearest(name, known)
        notes = [f"did you mean {close}?"] if close else []
        return SourceError(forward.offset, f"use of undeclared SSA value name {name}", *notes, code="ssa")
