"""Loops over index spaces, and the indices that they run through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from math import prod

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


PROBE = "%probe"  # the stem of the loop variables of an analysis
MOST_UNROLLED = 4  # iterations of an innermost loop that are written one by one
_LONG = 256  # iterations, from which several vectors of a sum are accumulated at once
_UNTESTED = 1 << 18  # elements, after which a loop tests whether it is to end


def loop_indices(extents: Iterable[int], stem: str) -> tuple[Index, ...]:
    """An index for each loop, by a variable of its own."""
    return tuple([of_variable(Variable(f"{stem}{d}", extent)) for d, extent in enumerate(extents)])


def joined_loops(
    shape: Sequence[int], apart: int, offsets: Sequence[Index], used: Set[int]
) -> list[list[int]]:
    """The dimensions of loops, neighbours together that are one loop.

    Args:
        shape: The extents of the loops, whose variables are those of `loop_indices` by the stem `PROBE`.
        apart: The dimension that does not join the one before it.
        offsets: The places in memory that the loops run through.
        used: The loops whose index is used as a number.
    """
    variables = [Variable(f"{PROBE}{d}", extent) for d, extent in enumerate(shape)]

    def is_one_loop(d: int) -> bool:
        before, after, size = variables[d - 1], variables[d], shape[d]
        if shape[d - 1] == 1:
            return True
        if size == 1 or {d - 1, d} & used:
            return False
        return all(o.coefficient(before) == o.coefficient(after) * size for o in offsets)

    groups = [[0]]
    for d in range(1, len(shape)):
        if d != apart and is_one_loop(d):
            groups[-1].append(d)
        else:
            groups.append([d])
    return groups


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
            with _loop(scope.b, extents[d], prod(extents[d + 1 :]), several) as i:
                scope.enter()
                level(d + 1, (*indices, of_variable(Variable(i.text, extents[d]))))
                scope.leave()

    level(0, ())


@contextmanager
def _loop(b: Builder, extent: int, inner: int, interleave: bool) -> Iterator[Value]:
    """A loop whose iterations compute `inner` elements; a long one is in blocks, and may be ended early."""
    zero = b.constant(0, "i64")
    if not inner < _UNTESTED <= extent * inner:
        with b.loop(zero, b.constant(extent, "i64"), interleave) as i:
            yield i
        return
    size = _UNTESTED // inner
    with b.loop(zero, b.constant(-(-extent // size), "i64"), unless=b.value("%sync", "ptr")) as block:
        first = block * size
        stop = first + size
        if extent % size:
            stop = (stop < extent).select(stop, extent)
        with b.loop(first, stop, interleave, trips=size) as i:
            yield i


def unravel(index: Index, shape: Sequence[int], b: Builder) -> Indices:
    """The indices in an array of `shape` at a position in row-major order."""
    found: list[Index] = []
    for stride in row_major(shape)[:-1]:
        quotient, index = divide(index, stride, b)
        found.append(quotient)
    return (*found, index) if shape else ()
