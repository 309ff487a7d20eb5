"""Loops over index spaces, and the indices that they run through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from stablehlo_py.engines.native.arithmetic.llvm_ir import Builder, Value
from stablehlo_py.engines.native.index_space import (
    ZERO,
    Index,
    Indices,
    Variable,
    divide,
    of_variable,
    row_major,
)
from stablehlo_py.engines.native.scope import Scope
from stablehlo_py.ir.records import dataclass


@dataclass
class Range:
    """The part of a loop that one call computes."""

    start: Value
    stop: Value


MOST_UNROLLED = 4  # iterations of an innermost loop that are written one by one
MOST_PIECES = 128  # of a loop, which threads take one by one
_LONG = 256  # iterations, from which several vectors of a sum are accumulated at once


def loop_indices(extents: Iterable[int], stem: str) -> tuple[Index, ...]:
    """An index for each loop, by a variable of its own."""
    return tuple([of_variable(Variable(f"{stem}{d}", extent)) for d, extent in enumerate(extents)])


def arrange(loops: Sequence[Index], order: Sequence[int]) -> Indices:
    """Indices of loops, put in the order of the dimensions that they run over."""
    found: list[Index] = [ZERO] * len(loops)
    for index, dimension in zip(loops, order, strict=True):
        found[dimension] = index
    return tuple(found)


def nested(
    scope: Scope, extents: Sequence[int], body: Callable[[Indices], None], accumulates: bool = False
) -> None:
    """Loops over an index space, the last dimension innermost.

    `accumulates`: the innermost loop combines all its elements into one.
    """

    def level(d: int, indices: Indices) -> None:
        if d == len(extents):
            body(indices)
        elif extents[d] == 1:
            level(d + 1, (*indices, ZERO))
        else:
            several = accumulates and d == len(extents) - 1 and extents[d] >= _LONG
            start, stop = scope.b.constant(0, "i64"), scope.b.constant(extents[d], "i64")
            with scope.b.loop(start, stop, interleave=several) as i:
                scope.enter()
                level(d + 1, (*indices, of_variable(Variable(i.text, extents[d]))))
                scope.leave()

    level(0, ())


def unravel(index: Index, shape: Sequence[int], b: Builder) -> Indices:
    """The indices in an array of `shape` at a position in row-major order."""
    found: list[Index] = []
    for stride in row_major(shape)[:-1]:
        quotient, index = divide(index, stride, b)
        found.append(quotient)
    return (*found, index) if shape else ()
