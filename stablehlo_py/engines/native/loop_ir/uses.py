"""What statements use: buffers, and the values and loop variables from outside."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.engines.native.loop_ir.expressions import (
    Buffer,
    Choose,
    Expression,
    Load,
    Position,
    Reference,
    visit,
)
from stablehlo_py.engines.native.loop_ir.index import Variable, variables_of
from stablehlo_py.engines.native.loop_ir.statements import (
    Fold,
    Let,
    Loop,
    Statement,
    indices_of,
    loads_of,
    roots_of,
    stores_of,
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
        names.update(_names_of(statement))
        own.update(_loops_of(statement))
        seen: set[Expression] = set()
        for each in [inner for root in roots_of(statement) for inner in visit(root, seen)]:
            if isinstance(each, Reference):
                used[each] = None
            indices = each.indices if isinstance(each, Load) else ()
            indices = (each.index,) if isinstance(each, Position) else indices
            indices = tuple([at for at, _ in each.conditions]) if isinstance(each, Choose) else indices
            used.update(dict.fromkeys(v for index in indices for v in variables_of(index)))
        used.update(dict.fromkeys(v for index in indices_of(statement) for v in variables_of(index)))
    return tuple(
        [each for each in used if (each not in own if isinstance(each, Variable) else each.name not in names)]
    )


def _names_of(statement: Statement) -> tuple[str, ...]:
    match statement:
        case Let(name):
            return (name,)
        case Fold(names):
            return names
    return ()


def _loops_of(statement: Statement) -> tuple[Variable, ...]:
    match statement:
        case Loop(variable):
            return (variable,)
        case Fold(loops=loops):
            return loops
    return ()
