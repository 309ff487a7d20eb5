"""Cache blocking of index spaces: several dimensions run through in blocks of neighbouring elements.

The last dimension is cut into pieces of equal length, so that indices inside of a piece are affine in one
variable; a block is a few pieces.
"""

from __future__ import annotations

from math import prod

from stablehlo_py.engines.native.index_space import Index, Indices, divide
from stablehlo_py.engines.native.llvm_ir import Builder, Value
from stablehlo_py.engines.native.loops import unravel
from stablehlo_py.ir.records import dataclass


@dataclass(frozen=True, slots=True)
class Blocking:
    """An index space in blocks.

    Attributes:
        shape: its extents.
        length: elements of a piece; the last piece of a run of the last dimension may be shorter.
        group: pieces of a block; the last block may have fewer. It is 1 where a run has several pieces.
    """

    shape: tuple[int, ...]
    length: int
    group: int

    @property
    def run(self) -> int:
        """The extent of the last dimension."""
        return self.shape[-1] if self.shape else 1

    @property
    def pieces(self) -> int:
        """The number of pieces."""
        return prod(self.shape[:-1]) * self._in_run

    @property
    def _in_run(self) -> int:
        return -(-self.run // self.length)

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return -(-self.pieces // self.group)

    @property
    def size(self) -> int:
        """The number of elements of a whole block."""
        return self.length * self.group

    def pieces_of(self, block: Index, b: Builder) -> Value:
        """The number of pieces that a block has."""
        if self.pieces % self.group == 0:
            return b.constant(self.group, "i64")
        return _smaller(block * -self.group + self.pieces, self.group, b)

    def length_of(self, piece: Index, b: Builder) -> Value:
        """The number of elements that a piece has."""
        if self.run % self.length == 0:
            return b.constant(self.length, "i64")
        _, place = divide(piece, self._in_run, b)
        return _smaller(place * -self.length + self.run, self.length, b)

    def size_of(self, block: Index, b: Builder) -> Value:
        """The number of elements that a block has."""
        if self.group == 1:
            return self.length_of(block, b)
        return self.pieces_of(block, b) * self.length

    def indices(self, piece: Index, offset: Index, b: Builder) -> Indices:
        """The indices of an element of a piece."""
        if not self.shape:
            return ()
        outer, place = divide(piece, self._in_run, b)
        return (*unravel(outer, self.shape[:-1], b), place * self.length + offset)


def blocking(shape: tuple[int, ...], most: int) -> Blocking:
    """Return blocks of about equal size that have no more than `most` elements."""
    run = shape[-1] if shape else 1
    if run > most:
        pieces = -(-run // most)
        return Blocking(shape, -(-run // pieces), 1)
    runs = prod(shape[:-1])
    blocks = -(-runs // (most // run))
    return Blocking(shape, run, -(-runs // blocks))


def _smaller(index: Index, limit: int, b: Builder) -> Value:
    value = index.emit(b)
    return value.compare("slt", limit).select(value, limit)
