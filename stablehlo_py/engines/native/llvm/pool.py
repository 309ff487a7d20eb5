"""The scratch area of a call: buffers with disjoint lifetimes share memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from stablehlo_py.engines.native.llvm.scalars import element_type
from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.runtime import ALIGNMENT


def scratch_offsets(nests: Sequence[Iterable[Buffer]]) -> tuple[dict[Buffer, int], int]:
    """Place scratch buffers.

    Args:
        nests: The scratch buffers that each nest uses; nests run one after the other.

    Returns:
        The offset of each buffer in bytes, and the size of the area.
    """
    first, last = dict[Buffer, int](), dict[Buffer, int]()  # nests that use a buffer
    for number, used in enumerate(nests):
        for buffer in used:
            first.setdefault(buffer, number)
            last[buffer] = number
    free: list[tuple[int, int]] = []  # offsets and sizes
    offsets: dict[Buffer, int] = {}
    total = 0
    for number, used in enumerate(nests):
        buffers = dict.fromkeys(used)
        for buffer in [each for each in buffers if first[each] == number]:
            size = _size(buffer)
            fitting = min([part for part in free if part[1] >= size], key=lambda part: part[1], default=None)
            if fitting is None:
                offsets[buffer], total = total, total + size
                continue
            free.remove(fitting)
            offsets[buffer] = fitting[0]
            if fitting[1] > size:
                free.append((fitting[0] + size, fitting[1] - size))
        ended = [(offsets[each], _size(each)) for each in buffers if last[each] == number]
        free = _merged([*free, *ended]) if ended else free
    return offsets, total


def _size(buffer: Buffer) -> int:
    return -(-prod(buffer.shape) * element_type(buffer.element).size // ALIGNMENT) * ALIGNMENT


def _merged(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join neighbouring parts, given by offset and size."""
    found: list[tuple[int, int]] = []
    for offset, size in sorted(parts):
        if found and sum(found[-1]) == offset:
            offset, size = found[-1][0], found.pop()[1] + size
        found.append((offset, size))
    return found
