"""Data classes that are fast to define: `dataclasses.dataclass`, with fewer methods to compile.

`dataclasses` generates and compiles six methods for each frozen class, which is a third of the time of
importing this package. Here only `__init__` is compiled, once for all classes with as many fields; the others
are functions that read the fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from functools import cached_property as cached_property
else:
    import dataclasses

    class cached_property:
        """A property that is computed once; `functools.cached_property` takes a lock in Python 3.11."""

        def __init__(self, function):
            self.function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            found = instance.__dict__[self.name] = self.function(instance)
            return found

    def dataclass(cls=None, /, *, repr=True, eq=True, frozen=False, slots=False):
        """Make a class a data class; see `dataclasses.dataclass` for the arguments."""

        def decorated(given):
            own = {name for name, value in vars(given).items() if value is not None}
            made = dataclasses.dataclass(init=not frozen, repr=False, eq=False, slots=slots)(given)
            methods = {"__init__": _init(made), **_FROZEN} if frozen else {}
            methods |= {"__repr__": _repr} if repr else {}
            methods |= _comparison(made, frozen) if eq else {}
            for name, method in methods.items():
                if name not in own:
                    setattr(made, name, method)
            return made

        return decorated if cls is None else decorated(cls)


class KeepsHash:
    """What frozen data classes inherit from whose hash is computed once: that of values which hold others."""

    __slots__ = ("kept_hash",)


def _init(cls: type) -> FunctionType:
    """Make the `__init__` of a frozen class; `__post_init__` sets the fields that are no arguments."""
    arguments = [field for field in fields(cls) if field.init]
    names = tuple([field.name for field in arguments])
    factories = [field.default_factory for field in arguments]
    made_anew = tuple([factory is not MISSING for factory in factories])
    scope: dict[str, Any] = {"_set": object.__setattr__, "_unset": _UNSET}
    scope |= {f"_new{i}": factory for i, factory in enumerate(factories)}
    defaults = [
        _UNSET if is_new else field.default
        for field, is_new in zip(arguments, made_anew, strict=True)
        if is_new or field.default is not MISSING
    ]
    code = _code(made_anew, hasattr(cls, "__post_init__"))
    given = dict(zip([f"_{i}" for i in range(len(names))], names, strict=True))
    code = code.replace(
        co_varnames=("self", *names),
        co_consts=tuple([given.get(constant, constant) for constant in code.co_consts]),
    )
    made = FunctionType(code, scope, "__init__", tuple(defaults))
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {field.name: field.type for field in arguments} | {"return": None}
    return made


@cache
def _code(made_anew: tuple[bool, ...], has_post_init: bool) -> CodeType:
    """Compile an `__init__` once for all classes with as many fields, whose names replace `_0`, `_1`, ...

    Args:
        made_anew: For each field, whether a factory makes its default.
        has_post_init: Whether the classes have a `__post_init__`.
    """
    values = [f"_new{i}() if _{i} is _unset else _{i}" if new else f"_{i}" for i, new in enumerate(made_anew)]
    lines = [f"  _set(self, '_{i}', {value})" for i, value in enumerate(values)]
    if has_post_init:
        lines.append("  self.__post_init__()")
    head = f"def __init__({', '.join(['self', *[f'_{i}' for i in range(len(made_anew))]])}):"
    text = "\n".join([head, *lines, "  return None"])
    return next(c for c in compile(text, __file__, "exec").co_consts if isinstance(c, CodeType))


def _refuse(self: Any, name: str, *value: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_UNSET = object()  # the default of an argument whose field has a factory
_FROZEN = {
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _get_state,
    "__setstate__": _set_state,
}


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

    def kept_hash_of(self: Any) -> int:
        try:
            found: int = self.kept_hash
        except AttributeError:
            found = hash(hashed(self))
            object.__setattr__(self, "kept_hash", found)
        return found

    frozen_hash = kept_hash_of if issubclass(cls, KeepsHash) else hash_of
    return {"__eq__": equals, "__hash__": frozen_hash if frozen else None}


def _getter(chosen: list[Field[Any]]) -> Callable[[Any], Any]:
    """Return a function of an object that returns the tuple of these fields."""
    names = [field.name for field in chosen]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])
