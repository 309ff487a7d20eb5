"""Task tables: the loop nests that threads run in order, as rows of numbers that one function reads.

A network has hundreds of tasks: separate code for each would take longer to compile than the loop nests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import UNOPTIMIZED, Builder

Place = tuple[int, int]  # an address: the number of a base, and what is added to its address
SCRATCH, ARRAYS = range(2)  # bases: the scratch area, the first array


class Task(NamedTuple):
    """A loop nest that threads share.

    Attributes:
        name: Its function.
        memory: The places of the memory that it takes.
        extent: The extent of the outermost loop.
        pieces: About how many pieces it is cut into, at least one for each thread; 0 where it is not cut.
    """

    name: str
    memory: tuple[Place, ...]
    extent: int
    pieces: int


def task_tables(tables: Sequence[Sequence[Task]]) -> tuple[dict[str, str], list[str]]:
    """Write tables of tasks, and the function `@call` that calls a nest by its number.

    Args:
        tables: The tasks of `@tasks0`, `@tasks1`, ...

    Returns:
        The definitions of tables, by name, and the definition of the function, if there are any.
    """
    numbers: dict[str, int] = {}
    counts: dict[str, int] = {}  # of arguments
    found: dict[str, str] = {}
    for place, tasks in enumerate(tables):
        rows: list[int] = []
        for name, memory, extent, pieces in tasks:
            counts[name] = len(memory)
            rows += [numbers.setdefault(name, len(numbers)), extent, pieces, len(memory)]
            rows += [part for pair in memory for part in pair]
        most = max([len(task.memory) for task in tasks])
        text = ", ".join([f"i64 {value}" for value in (most, *rows)])
        found[f"@tasks{place}"] = f"@tasks{place} = internal constant [{len(rows) + 1} x i64] [{text}]"
    return found, [_caller([(name, counts[name]) for name in numbers])] if tables else []


def _caller(nests: Sequence[tuple[str, int]]) -> str:
    """The function that calls a nest by its number: for a range, with the arguments in an array."""
    b = Builder({})
    targets = " ".join([f"i64 {number}, label %nest{number}" for number in range(len(nests))])
    b.do(f"switch i64 %number, label %none [ {targets} ]")
    for number, (name, count) in enumerate(nests):
        b.enter(f"nest{number}")
        given = b.value("%given", "ptr")
        loaded = [b.load("ptr", given, b.constant(place, "i64")) for place in range(count)]
        b.call(name, "void", [b.value("%lo", "i64"), b.value("%hi", "i64"), *loaded])
        b.do("ret void")
    b.enter("none")
    b.do("ret void")
    return b.function(
        f"internal void @call(i64 %number, i64 %lo, i64 %hi, ptr %given) nounwind {UNOPTIMIZED}"
    )
