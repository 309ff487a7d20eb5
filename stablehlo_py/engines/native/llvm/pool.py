"""The scratch area of a call: buffers that are not in use at the same time are in one place."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from stablehlo_py.engines.native.llvm.scalars import element_type
from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.loop_ir.uses import buffers_of
from stablehlo_py.engines.native.runtime import ALIGNMENT


def scratch_offsets(program: Program, local: Collection[Buffer] = ()) -> tuple[dict[Buffer, int], int]:
    """Place the scratch buffers of a program.

    Args:
        program: The program, whose nests run one after the other.
        local: Buffers that are elsewhere.

    Returns:
        The offset of each buffer in bytes, and the size of the area.
    """
    spans: dict[Buffer, tuple[int, int]] = {}  # the first and the last nest that uses a buffer
    for number, nest in enumerate(program.nests):
        for buffer in buffers_of(nest):
            if buffer.space == "scratch" and buffer not in local:
                spans[buffer] = spans.get(buffer, (number, number))[0], number
    free: list[tuple[int, int]] = []  # offsets and sizes
    offsets: dict[Buffer, int] = {}
    total = 0
    for number in range(len(program.nests)):
        for buffer in [each for each, (first, _) in spans.items() if first == number]:
            size = -(-prod(buffer.shape) * element_type(buffer.element).size // ALIGNMENT) * ALIGNMENT
            fitting = min([part for part in free if part[1] >= size], key=lambda part: part[1], default=None)
            if fitting is None:
                offsets[buffer], total = total, total + size
                continue
            free.remove(fitting)
            offsets[buffer] = fitting[0]
            if fitting[1] > size:
                free.append((fitting[0] + size, fitting[1] - size))
        for buffer in [each for each, (_, last) in spans.items() if last == number]:
            size = -(-prod(buffer.shape) * element_type(buffer.element).size // ALIGNMENT) * ALIGNMENT
            free = _merged([*free, (offsets[buffer], size)])
    return offsets, total


def _merged(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join neighbouring parts, given by offset and size."""
    found: list[tuple[int, int]] = []
    for offset, size in sorted(parts):
        if found and sum(found[-1]) == offset:
            offset, size = found[-1][0], found.pop()[1] + size
        found.append((offset, size))
    return found
