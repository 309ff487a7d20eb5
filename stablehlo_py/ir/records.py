"""Data classes that are fast to define: `dataclasses.dataclass`, with fewer methods to compile.

`dataclasses` generates and compiles six methods for each frozen class, which is a third of the time of
importing this package. Three of them are functions that read the fields here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    def dataclass(cls=None, /, *, repr=True, eq=True, frozen=False, slots=False):
        """Make a class a data class; see `dataclasses.dataclass` for the arguments."""

        def decorated(given):
            own = {name for name, value in vars(given).items() if value is not None}
            made = dataclasses.dataclass(repr=False, eq=False, frozen=frozen, slots=slots)(given)
            methods = {"__repr__": _repr} if repr else {}
            methods |= _comparison(made, frozen) if eq else {}
            for name, method in methods.items():
                if name not in own:
                    setattr(made, name, method)
            return made

        return decorated if cls is None else decorated(cls)


@recursive_repr()
def _repr(self: Any) -> str:
    parts = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr]
    return f"{self.__class__.__qualname__}({', '.join(parts)})"


def _comparison(cls: type, frozen: bool) -> dict[str, Any]:
    """Return the methods that compare; objects that can change have no hash."""
    values = _getter([field for field in fields(cls) if field.compare])
    hashed = _getter(
        [field for field in fields(cls) if (field.compare if field.hash is None else field.hash)]
    )

    def equals(self: Any, other: Any) -> Any:
        if self is other:  # as most types and attributes are that are equal
            return True
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hash_of(self: Any) -> int:
        return hash(hashed(self))

    return {"__eq__": equals, "__hash__": hash_of if frozen else None}


def _getter(chosen: list[Field[Any]]) -> Callable[[Any], Any]:
    """Return a function of an object that returns the tuple of these fields."""
    names = [field.name for field in chosen]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])
