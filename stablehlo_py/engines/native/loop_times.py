"""The times of a region's loop nests, with their ops and the bytes that they access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.loop_ir.sharing import SharedProgram, with_buffers
from stablehlo_py.engines.native.loop_ir.statements import If, Statement, While, walk
from stablehlo_py.engines.native.loop_ir.uses import loaded_by, stored_by
from stablehlo_py.engines.native.lower.origins import origins_of
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.region import CONTROL, Region
from stablehlo_py.engines.native.runtime import BUSY, PASSED, WAITED
from stablehlo_py.engines.native.schedule.pipeline import schedule
from stablehlo_py.interpreter.observer import LoopTime
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.element_types import numpy_dtype


class _Nest(NamedTuple):
    ops: tuple[Operation, ...]
    bytes: int


def loop_times(region: Region, whole_windows: bool, times: Any, calls: int) -> list[LoopTime]:
    """The times of a region's nests.

    Args:
        region: The region.
        whole_windows: Whether windows of scatters are written as a whole or not at all.
        times: The nanoseconds of each nest, in the order of `BUSY`, `WAITED` and `PASSED`.
        calls: How often the region was called.
    """
    found = []
    for nest, row in zip(_nests(region, whole_windows), times.tolist(), strict=True):
        busy, waited, passed = (row[place] * 1e-9 for place in (BUSY, WAITED, PASSED))
        module = region.plan.module
        found.append(LoopTime(module, nest.ops, calls, passed, busy, waited, nest.bytes * calls))
    return found


def _nests(region: Region, whole_windows: bool) -> Iterator[_Nest]:
    """The nests in the order of tasks."""
    lowered = lower(region, whole_windows)
    shared = schedule(lowered.program)
    made = origins_of(shared.program, lowered.origins)
    for nest in _bodies(shared):
        is_control = any(isinstance(each, If | While) for each in walk(nest))
        origins = [
            each
            for each in made(nest)
            if (each.plan is region.plan if is_control else each.step.name not in CONTROL)  # else copies
        ]
        ops = [op for each in origins for op in each.step.members or (each.step.op,) if op is not None]
        touched = [*stored_by(nest), *loaded_by(nest)]
        yield _Nest(tuple(dict.fromkeys(ops)), sum([_size(each) for each in touched]))


def _bodies(shared: SharedProgram) -> Iterator[Sequence[Statement]]:
    for call in shared.calls:
        for nest in shared.kernels[call.kernel].nests:
            yield with_buffers(nest, call.buffers)


def _size(buffer: Buffer) -> int:
    """The bytes of an array in memory: arrays of frames stay in the caches."""
    return 0 if buffer.space == "frame" else prod(buffer.shape) * numpy_dtype(buffer.element).itemsize
