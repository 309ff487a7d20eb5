"""Cache blocking of index spaces: several dimensions run through in blocks of neighbouring elements.

The last dimension is cut into pieces of equal length, so that indices inside of a piece are affine in one
variable; a block is a few pieces.
"""

from __future__ import annotations

from math import prod

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
        return prod(self.shape[:-1]) * self.in_run

    @property
    def in_run(self) -> int:
        """The number of pieces of a run."""
        return max(1, -(-self.run // self.length))

    @property
    def blocks(self) -> int:
        """The number of blocks, at least one."""
        return max(1, -(-self.pieces // self.group))

    @property
    def size(self) -> int:
        """The number of elements of a whole block."""
        return self.length * self.group


def blocking(shape: tuple[int, ...], most: int) -> Blocking:
    """Return blocks of about equal size that have no more than `most` elements; one if there is none."""
    if not prod(shape):
        return Blocking(shape, 1, 1)
    run = shape[-1] if shape else 1
    if run > most:
        pieces = -(-run // most)
        return Blocking(shape, -(-run // pieces), 1)
    runs = prod(shape[:-1])
    blocks = -(-runs // (most // run))
    return Blocking(shape, run, -(-runs // blocks))
