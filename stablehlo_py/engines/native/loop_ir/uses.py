"""Uses: the buffers of statements, and the values and loop variables that they capture."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Reference,
    indices_in,
)
from stablehlo_py.engines.native.loop_ir.index import Variable, variables_of
from stablehlo_py.engines.native.loop_ir.statements import (
    Statement,
    indices_of,
    loads_of,
    loops_of,
    names_of,
    stores_of,
    values_of,
    walk,
)


def buffers_of(nest: Sequence[Statement]) -> list[Buffer]:
    """The buffers that a nest uses, in order."""
    return list(stored_by(nest) | loaded_by(nest))


def stored_by(nest: Sequence[Statement]) -> dict[Buffer, None]:
    """The buffers that a nest stores to, in order."""
    return {store.buffer: None for statement in nest for store in stores_of(statement)}


def loaded_by(nest: Sequence[Statement]) -> dict[Buffer, None]:
    """The buffers that a nest loads from, in order."""
    return {load.buffer: None for statement in nest for load in loads_of(statement)}


def captured_by(nest: Sequence[Statement]) -> tuple[Reference | Variable, ...]:
    """The values and loop variables that statements use, but do not define, in order."""
    names, own = set[str](), set[Variable]()
    used = dict[Reference | Variable, None]()
    for statement in walk(nest):
        names.update(names_of(statement))
        own.update(loops_of(statement))
        for each in values_of(statement):
            if isinstance(each, Reference):
                used[each] = None
            used.update(dict.fromkeys(v for index in indices_in(each) for v in variables_of(index)))
        used.update(dict.fromkeys(v for index in indices_of(statement) for v in variables_of(index)))
    return tuple(
        [each for each in used if (each not in own if isinstance(each, Variable) else each.name not in names)]
    )
