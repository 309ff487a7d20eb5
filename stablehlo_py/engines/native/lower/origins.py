"""Origins: the ops that loops compute, as notes for readers.

A step is computed by the statements that store its results. If a stage has inlined the step into its readers,
its ops are listed with the ops of the readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.loop_ir.statements import (
    ExternalCall,
    Fold,
    Let,
    Loop,
    Program,
    Statement,
    Store,
    bodies_of,
    walk,
)
from stablehlo_py.engines.native.loop_ir.uses import loaded_by, stored_by
from stablehlo_py.interpreter.plan import Plan, Step

_NAMED = 8  # ops of a nest


class Origin(NamedTuple):
    """The step that computes a buffer or a named value.

    Attributes:
        plan: The plan of the step.
        step: The step.
        operands: The names of the buffers that the step reads.
    """

    plan: Plan[Step]
    step: Step
    operands: tuple[str, ...]


Origins = dict[str, Origin]
Note = Callable[[Statement], str]


def notes(program: Program, origins: Origins) -> Note:
    """The function that gives the note on a statement: the ops that it computes, empty where there are none.

    A loop around statements of different ops has no note; these have.
    """
    made = origins_of(program, origins)
    nests = {id(nest) for nest in program.body}
    readers: dict[Buffer, list[Statement]] = {}
    for nest in program.body:
        for buffer in loaded_by([nest]):
            readers.setdefault(buffer, []).append(nest)

    def note(statement: Statement) -> str:
        inner = {note(each) for body in bodies_of(statement) for each in body} - {""}
        if len(inner) > 1 or (inner and not isinstance(statement, Loop)):
            return ""
        return computed([statement]) or ("" if inner else packed(statement))

    def computed(statements: Sequence[Statement]) -> str:
        return _text(made(statements))

    def packed(statement: Statement) -> str:
        """Describe the readers of the buffers that a packing nest fills."""
        stored = stored_by([statement]) if id(statement) in nests else ()
        found = computed([nest for buffer in stored for nest in readers.get(buffer, ())])
        return found and f"for {found}"

    return note


def origins_of(program: Program, origins: Origins) -> Callable[[Sequence[Statement]], list[Origin]]:
    """Return a function from statements of a program to the origins of the values that they compute."""
    found = {id(origins[name].step) for name in made_by(program.body) if name in origins}

    @cache
    def behind(name: str) -> tuple[Origin, ...]:
        """Return the origin of a name, after the origins of operands that were inlined."""
        origin = origins[name]
        others = [each for each in origin.operands if each in origins and id(origins[each].step) not in found]
        return *(each for other in others for each in behind(other)), origin

    def made(statements: Sequence[Statement]) -> list[Origin]:
        names = [name for name in made_by(statements) if name in origins]
        return [each for name in names for each in behind(name)]

    return made


def made_by(statements: Sequence[Statement]) -> list[str]:
    """The names of what statements store or define, in order."""
    found: dict[str, None] = {}
    for statement in walk(statements):
        match statement:
            case Store(buffer):
                found[buffer.name] = None
            case ExternalCall(writes=buffers):
                found.update((each.name, None) for each in buffers)
            case Fold(names=names):
                found.update(dict.fromkeys(names))
            case Let(name):
                found[name] = None
    return list(found)


def _text(origins: Iterable[Origin]) -> str:
    """The ops of origins with their lines, each once."""
    parts = list(dict.fromkeys(part for each in origins for part in _ops(each)))
    return ", ".join(parts[:_NAMED]) + (", ..." if len(parts) > _NAMED else "")


def _ops(origin: Origin) -> Sequence[str]:
    """The ops of a step with the lines of the source."""
    step, module = origin.step, origin.plan.module
    ops = step.members or (step.op,)
    lines = [module.position(op)[0] if op is not None else 0 for op in ops]
    names = [step.name if op is None or op is step.op else op.name for op in ops]
    shorts = [name.partition(".")[2] for name in names]
    return [f"{name} (line {line})" if line else name for name, line in zip(shorts, lines, strict=True)]
