"""Loop tiling: maps that read an operand across memory are computed in squares that stay in cache.

Of such an operand (a transposed one), neighbours along the innermost loop are far apart; those along another
loop are in one line of the cache. A square of both loops is computed along the other loop into memory of the
function, and copied from there to the result: each line of both is in the cache once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import NamedTuple

from stablehlo_py.engines.native.arithmetic.llvm_ir import Value
from stablehlo_py.engines.native.fusion import Item, Nest, Record
from stablehlo_py.engines.native.index_space import (
    ZERO,
    Index,
    Indices,
    Variable,
    computed,
    linear,
    loop_parts,
)
from stablehlo_py.engines.native.loops import Range
from stablehlo_py.engines.native.scope import Scope

_LINE = 64  # bytes of a line of the cache
_LEAST = 1 << 14  # elements of an index space: smaller ones are in cache anyway
_NARROWEST = 16  # elements along both loops, from which squares pay


class Tile(NamedTuple):
    """The group of loops that a square is computed along, and the elements of its sides."""

    group: int
    side: int


def choose_tile(
    scope: Scope, nest: Nest, groups: Sequence[Sequence[int]], variables: Sequence[Variable], record: Record
) -> Tile | None:
    """Return the tile of a nest of maps, None if no operand is read across memory.

    Args:
        scope: The slots.
        nest: The nest.
        groups: The loops of one variable each, by the dimensions that they run through.
        variables: The variables of the dimensions, by which `record` has indices.
        record: What the maps load.
    """
    extents = [prod([nest.shape[d] for d in group]) for group in groups]
    is_cut = any(len(starts) > 1 for starts in record.pieces)
    if is_cut or len(groups) < 2 or prod(extents) < _LEAST or extents[-1] < _NARROWEST:
        return None
    for access in record.accesses:
        buffer = scope.buffers[access.slot]
        offset = linear(access.indices, buffer.strides)
        apart = [abs(offset.coefficient(variables[group[-1]])) for group in groups]
        if apart[-1] * buffer.element.size < _LINE:
            continue
        for number, distance in enumerate(apart[:-1]):
            if distance == 1 and extents[number] >= _NARROWEST:
                smallest = min([scope.element(slot).size for slot in nest.slots])
                return Tile(number, max(_NARROWEST, _LINE // smallest))
    return None


class TileEmitter:
    """Writes the loops of a nest of maps in squares.

    Args:
        scope: The slots.
        nest: The nest.
        groups: Its loops.
        tile: The squares.
        value: Gives the element of a map at an index.
    """

    def __init__(
        self,
        scope: Scope,
        nest: Nest,
        groups: Sequence[Sequence[int]],
        tile: Tile,
        value: Callable[[Item, int, Indices], Value],
    ) -> None:
        self.scope, self.b = scope, scope.b
        self.nest, self.groups, self.tile, self.value = nest, groups, tile, value
        self.extents = [prod([nest.shape[d] for d in group]) for group in groups]
        stored = sorted(nest.slots - nest.unstored)
        self.squares = {slot: self.b.alloca(scope.element(slot).storage, tile.side**2) for slot in stored}

    def emit(self, part: Range) -> None:
        """Write the loops, the outermost one over a part of its range."""
        self._outer(0, part, [ZERO] * len(self.nest.shape), [])

    def _outer(self, number: int, part: Range | None, indices: list[Index], sides: list[Range]) -> None:
        """Write the loops from one on: over blocks along the sides of squares, over elements otherwise."""
        if number == len(self.groups):
            self._square(indices, *sides)
            return
        extent, zero = self.extents[number], self.b.constant(0, "i64")
        over = part or Range(zero, self.b.constant(extent, "i64"))
        if number in (self.tile.group, len(self.groups) - 1):
            with self._block(over, extent) as side:
                self._outer(number + 1, None, indices, [*sides, side])
            return
        with self._loop(over, number, indices, extent):
            self._outer(number + 1, None, indices, sides)

    @contextmanager
    def _loop(self, over: Range, number: int, indices: list[Index], trips: int) -> Iterator[Value]:
        with self.b.loop(over.start, over.stop, trips=trips) as i:
            self.scope.enter()
            group = self.groups[number]
            extents = [self.nest.shape[d] for d in group]
            indices[group[0] : group[-1] + 1] = loop_parts(computed(i, self.extents[number]), extents, self.b)
            yield i
            self.scope.leave()

    @contextmanager
    def _block(self, over: Range, extent: int) -> Iterator[Range]:
        b, side = self.b, self.tile.side
        count = b.emit("i64", f"udiv {over.stop - over.start + (side - 1)}, {side}")
        with b.loop(b.constant(0, "i64"), count, trips=-(-extent // side)) as n:
            self.scope.enter()
            low = over.start + n * side
            high = low + side
            yield Range(low, (high < over.stop).select(high, over.stop))
            self.scope.leave()

    def _square(self, indices: list[Index], across: Range, along: Range) -> None:
        """Compute a square in the order of the operand's memory, then store it in that of the results."""
        b, side, last = self.b, self.tile.side, len(self.groups) - 1
        group = self.tile.group
        with self._loop(along, last, indices, side) as i, self._loop(across, group, indices, side) as j:
            at, place = tuple(indices), (i - along.start) * side + (j - across.start)
            for item in self.nest.items:
                for slot in item.slots:
                    value = self.value(item, slot, at)
                    if slot in self.squares:
                        self.scope.element(slot).store(b, value, self.squares[slot], place)
        with self._loop(across, group, indices, side) as j, self._loop(along, last, indices, side) as i:
            place = (i - along.start) * side + (j - across.start)
            for slot, square in self.squares.items():
                buffer = self.scope.buffers[slot]
                found = b.load(buffer.element.storage, square, place)
                offset = linear(tuple(indices), buffer.strides).emit(b)
                b.store(found, buffer.pointer(b), offset)
