"""The scratch area: buffers that are live together are apart, and the area is no larger than it has to be."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.llvm.pool import scratch_offsets
from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.runtime import ALIGNMENT
from stablehlo_py.ir.types import FloatType


def buffer(name: str, units: int) -> Buffer:
    """A buffer of some multiples of the alignment."""
    return Buffer(name, FloatType("f32"), (units * ALIGNMENT // 4,), "scratch")


A, B, C, D = buffer("a", 2), buffer("b", 1), buffer("c", 3), buffer("d", 1)
AREAS = {  # the buffers of nests in turn, and the multiples of the alignment that they need
    "none": ([], 0),
    "one after the other": ([[A], [C], [A, B]], 5),  # a lives until the last nest
    "a chain of larger ones": ([[A], [A, B], [B, C], [C]], 4),
    "between two that stay": ([[A, B, C], [A, C], [A, C, D]], 6),
    "all at once": ([[A, B, C, D]], 7),
}


@pytest.mark.parametrize("name", AREAS)
def test_size_of_the_area(name: str) -> None:
    nests, units = AREAS[name]
    offsets, size = scratch_offsets(nests)
    assert size == units * ALIGNMENT
    assert {*offsets} == {each for nest in nests for each in nest}


@pytest.mark.parametrize("seed", range(5))
def test_buffers_that_are_live_together_are_apart(seed: int) -> None:
    rng = random.Random(seed)
    buffers = [buffer(f"b{number}", rng.randrange(6)) for number in range(60)]
    lives = [sorted((rng.randrange(40), rng.randrange(40))) for _ in buffers]
    pairs = list(zip(buffers, lives, strict=True))
    nests = [[each for each, (first, last) in pairs if number in (first, last)] for number in range(40)]
    offsets, size = scratch_offsets(nests)
    for each, (first, last) in pairs:
        start, end = offsets[each], offsets[each] + 4 * each.shape[0]
        assert start % ALIGNMENT == 0 and end <= size
        for other, (begin, stop) in pairs:
            if other != each and first <= stop and begin <= last:
                assert end <= offsets[other] or offsets[other] + 4 * other.shape[0] <= start
