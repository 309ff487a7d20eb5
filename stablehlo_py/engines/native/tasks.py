"""Task tables: the loop nests that threads run one after the other, as numbers that one function reads.

A network has hundreds of tasks: code for each would take longer to compile than the loop nests do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import UNOPTIMIZED, Builder

Place = tuple[int, int]  # an address or a number: that of the base, and what is added to it
NUMBERS, SCRATCH, SYNC, ARRAYS = range(4)  # bases: 0, the scratch area, what threads share, the first array
_WHOLE = -1  # where there is no fallback

Merged = Mapping[str, tuple[str, Sequence[str]]]  # a function -> the one that it is, and its last arguments


class Call(NamedTuple):
    """A call of a loop nest for a range: its function, and the places of the memory that it takes."""

    name: str
    memory: tuple[Place, ...]


class Task(NamedTuple):
    """A loop nest that threads share.

    Attributes:
        call: the call.
        fallback: the call that assumes nothing, where the other one assumes something.
        extent: the extent of the outermost loop.
        pieces: about how many pieces it is cut into, at least one for each thread; 0 where it is not cut.
    """

    call: Call
    fallback: Call | None
    extent: int
    pieces: int


def task_tables(tables: Sequence[Sequence[Task]], merged: Merged) -> tuple[dict[str, str], list[str]]:
    """Write tables of tasks, and the function `@call` that calls a nest by its number.

    Args:
        tables: The tasks of `@tasks0`, `@tasks1`, ...
        merged: The functions that are others, with constants.

    Returns:
        The definitions of tables, by name, and that of the function, if there are any.
    """
    numbers: dict[str, int] = {}
    kinds: dict[str, tuple[str, ...]] = {}  # the types of arguments

    def described(call: Call | None) -> tuple[int, list[Place]]:
        if call is None:
            return _WHOLE, []
        name, constants = merged.get(call.name, (call.name, ()))
        kinds[name] = ("ptr",) * len(call.memory) + ("i64",) * len(constants)
        return numbers.setdefault(name, len(numbers)), [*call.memory, *((NUMBERS, int(c)) for c in constants)]

    found: dict[str, str] = {}
    for place, tasks in enumerate(tables):
        rows: list[int] = []
        most = 0
        for task in tasks:
            (own, given), (other, after) = described(task.call), described(task.fallback)
            places = [*given, *after]
            most = max(most, len(places))
            rows += [own, other, task.extent, task.pieces, len(given), len(places)]
            rows += [part for pair in places for part in pair]
        text = ", ".join([f"i64 {value}" for value in (most, *rows)])
        found[f"@tasks{place}"] = f"@tasks{place} = internal constant [{len(rows) + 1} x i64] [{text}]"
    return found, [_caller([kinds[name] for name in numbers], list(numbers))] if tables else []


def _caller(kinds: Sequence[Sequence[str]], names: Sequence[str]) -> str:
    """The function that calls a nest by its number: for a range, with the arguments in an array."""
    b = Builder({})
    targets = " ".join([f"i64 {number}, label %nest{number}" for number in range(len(names))])
    b.do(f"switch i64 %number, label %none [ {targets} ]")
    for number, (name, types) in enumerate(zip(names, kinds, strict=True)):
        b.enter(f"nest{number}")
        given = b.value("%given", "ptr")
        loaded = [b.load(type, given, b.constant(place, "i64")) for place, type in enumerate(types)]
        b.do(f"ret i8 {b.call(name, 'i8', [b.value('%lo', 'i64'), b.value('%hi', 'i64'), *loaded]).text}")
    b.enter("none")
    b.do("ret i8 0")
    return b.function(f"internal i8 @call(i64 %number, i64 %lo, i64 %hi, ptr %given) nounwind {UNOPTIMIZED}")
