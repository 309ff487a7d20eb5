"""Changes to a module that leave its meaning: what `shlo fmt` does besides printing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stablehlo_py.ir.attributes import ELIDED, DenseElementsAttr, DenseResourceAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.locations import CallSiteLoc, FusedLoc, Location, NameLoc

_NOT_IN_NAMES = re.compile(r"[^\w$.]+", re.ASCII)


def elide_constants(module: Module, limit: int) -> None:
    """Replaces the elements of constants by `dense_resource<__elided__>`, as MLIR does for reading.

    Constants of at most `limit` elements stay, and those whose elements are all the same. What is printed
    then parses, and is no longer a valid program.
    """
    for op in module.walk():
        for values in (op.properties, op.attributes):
            for name, value in values.items():
                if isinstance(value, DenseElementsAttr) and not value.is_splat and value.data.size > limit:
                    values[name] = DenseResourceAttr(ELIDED, value.type)


def strip_locations(module: Module) -> None:
    """Removes the locations of all ops and arguments."""
    for place in _places(module):
        place.location = None


def name_from_locations(module: Module) -> None:
    """Names values by their locations, where those hold a name: `loc("jit(f)/dense/dot_general"(...))` is
    `%dot_general`. Values of the same name are told apart when they are printed.
    """
    for place in _places(module):
        name = _name(place.location)
        if name is None:
            continue
        if isinstance(place, BlockArgument):
            place.name = name
        for index, result in enumerate(place.results if isinstance(place, Operation) else ()):
            result.name = name if index == 0 else f"{name}#{index}"


def _places(module: Module) -> Iterator[Operation | BlockArgument]:
    """All that has a location."""
    for op in module.walk():
        yield op
        for block in op.blocks:
            yield from block.arguments


def _name(location: Location | None) -> str | None:
    """The innermost scope of the first name in a location, as a value can be called; None without one."""
    pending = [location]
    while pending:
        match pending.pop():
            case NameLoc(name):
                found = _NOT_IN_NAMES.sub("_", name.rstrip("/").rpartition("/")[2]).strip("_")
                if found:
                    return found if not found[0].isdigit() else f"_{found}"
            case CallSiteLoc(callee, caller):
                pending += (caller, callee)
            case FusedLoc(locations):
                pending += reversed(locations)
    return None
