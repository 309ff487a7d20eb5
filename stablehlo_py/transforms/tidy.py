"""The in-place transformations of `shlo fmt`: elide constants, strip locations, rename values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from stablehlo_py.ir.attributes import ELIDED, DenseElementsAttr, DenseResourceAttr, LocationAttr
from stablehlo_py.ir.core import BlockArgument, Module, Operation
from stablehlo_py.ir.locations import CallSiteLoc, FusedLoc, Location, NameLoc
from stablehlo_py.ir.torch_locations import described

_NOT_IN_NAMES = re.compile(r"[^\w$.]+", re.ASCII)


def elide_constants(module: Module, limit: int) -> None:
    """Replace the elements of large constants by `dense_resource<__elided__>`, as MLIR's printer does.

    The result still parses, but is not valid: it cannot be run.

    Args:
        module: The module, which is changed.
        limit: The maximum number of elements of a constant that is kept. Splats are always kept.
    """
    for op in module.walk():
        for values in (op.properties, op.attributes):
            for name, value in values.items():
                if isinstance(value, DenseElementsAttr) and not value.is_splat and value.data.size > limit:
                    values[name] = DenseResourceAttr(ELIDED, value.type)


def strip_locations(module: Module) -> None:
    """Remove the locations of all ops and block arguments, and the aliases of others."""
    for place in places(module):
        place.location = None
    module.unused_aliases = [each for each in module.unused_aliases if not isinstance(each[1], LocationAttr)]


def name_from_locations(module: Module) -> None:
    """Name values after their locations: `loc("jit(f)/dense/dot_general"(...))` gives `%dot_general`.

    Values whose location has no name keep theirs. The printer makes equal names unique.

    Args:
        module: The module, which is changed.
    """
    for place in places(module):
        name = _name(place.location)
        if name is None:
            continue
        if isinstance(place, BlockArgument):
            place.name = name
        for index, result in enumerate(place.results if isinstance(place, Operation) else ()):
            result.name = name if index == 0 else f"{name}#{index}"


def drop_comments(module: Module, spans: Iterable[tuple[int, int]]) -> None:
    """Drop the comments inside of erased ops and after them on the same line.

    Args:
        module: The module, which is changed.
        spans: The offset and end of each erased op in the source text; -1 for an op without a source.
    """
    text = module.source.text
    found = sorted((start, text.find("\n", end)) for start, end in spans if start >= 0)
    starts = [start for start, _ in found]
    ends = list(accumulate((end if end >= 0 else len(text) for _, end in found), max))

    def is_gone(offset: int) -> bool:
        before = bisect_right(starts, offset)
        return before > 0 and offset < ends[before - 1]

    module.comments = [(offset, comment) for offset, comment in module.comments if not is_gone(offset)]


def places(module: Module) -> Iterator[Operation | BlockArgument]:
    """Yield everything that has a location."""
    for op in module.walk():
        yield op
        for block in op.blocks:
            yield from block.arguments


def _name(location: Location | None) -> str | None:
    """Return the innermost scope of the first name in a location, as a valid value name, or None."""
    pending = [location]
    while pending:
        match described(pending.pop()):
            case NameLoc(name):
                found = _NOT_IN_NAMES.sub("_", name.rstrip("/").rpartition("/")[2]).strip("_")
                if found:
                    return found if not found[0].isdigit() else f"_{found}"
            case CallSiteLoc(callee, caller):
                pending += (caller, callee)
            case FusedLoc(locations):
                pending += reversed(locations)
    return None
