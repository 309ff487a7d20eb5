"""The scratch area of a call: buffers with disjoint lifetimes share memory.

Buffers are placed by size, the largest first, each at the lowest offset that is free while it is live. Small
buffers get the gaps between larger ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import prod
from typing import Any

import numpy as np

from stablehlo_py.engines.native.llvm.scalars import element_type
from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.loop_ir.lifetimes import Lifetime
from stablehlo_py.engines.native.runtime import ALIGNMENT

_Numbers = np.ndarray[Any, np.dtype[np.int64]]


def scratch_offsets(lives: Mapping[Buffer, Lifetime]) -> tuple[dict[Buffer, int], int]:
    """Place scratch buffers.

    Args:
        lives: Their lifetimes.

    Returns:
        The offset of each buffer in bytes, and the size of the area.
    """
    buffers = sorted(lives, key=_size, reverse=True)
    begins, ends = (np.array([lives[each][k] for each in buffers], np.int64) for k in (0, 1))
    offsets, tops = np.zeros(len(buffers), np.int64), np.zeros(len(buffers), np.int64)
    for place, buffer in enumerate(buffers):
        together = (begins[:place] <= ends[place]) & (begins[place] <= ends[:place])
        size = _size(buffer)
        offsets[place] = _lowest(offsets[:place][together], tops[:place][together], size)
        tops[place] = offsets[place] + size
    return dict(zip(buffers, offsets.tolist(), strict=True)), int(tops.max(initial=0))


def sharing(offsets: Mapping[Buffer, int], buffers: Collection[Buffer]) -> Iterator[Buffer]:
    """Yield those of some buffers that have memory in common with another one of them."""
    top, before = 0, None
    for buffer in sorted(buffers, key=offsets.__getitem__):
        if offsets[buffer] < top and before is not None:
            yield from (before, buffer)
        if offsets[buffer] + _size(buffer) > top:
            top, before = offsets[buffer] + _size(buffer), buffer


def _lowest(offsets: _Numbers, tops: _Numbers, size: int) -> int:
    """The lowest offset where a size is free beside what is between offsets and tops."""
    order = np.argsort(offsets, kind="stable")
    reached = np.maximum.accumulate(np.append(0, tops[order]))
    fits = np.flatnonzero(offsets[order] - reached[:-1] >= size)
    return int(reached[fits[0] if fits.size else -1])


def _size(buffer: Buffer) -> int:
    return -(-prod(buffer.shape) * element_type(buffer.element).size // ALIGNMENT) * ALIGNMENT
