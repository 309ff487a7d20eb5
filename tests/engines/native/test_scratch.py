"""The scratch area: buffers that are live together are apart, and the area is no larger than it has to be."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.native.llvm.module import ModuleWriter
from stablehlo_py.engines.native.llvm.pool import scratch_offsets, sharing
from stablehlo_py.engines.native.loop_ir.expressions import Buffer
from stablehlo_py.engines.native.loop_ir.lifetimes import Lifetime, Timeline, lifetimes, timeline
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.runtime import ALIGNMENT
from stablehlo_py.engines.native.schedule.pipeline import schedule
from stablehlo_py.ir.types import FloatType
from stablehlo_py.library.function import native_function
from tests.helpers.loop_parser import parse
from tests.helpers.native import counted


def buffer(name: str, units: int) -> Buffer:
    """A buffer of some multiples of the alignment."""
    return Buffer(name, FloatType("f32"), (units * ALIGNMENT // 4,), "scratch")


A, B, C, D = buffer("a", 2), buffer("b", 1), buffer("c", 3), buffer("d", 1)
AREAS = {  # the buffers that nests use in turn, and the multiples of the alignment that they need
    "none": ([], 0),
    "one after the other": ([[A], [C], [A, B]], 5),  # a lives until the last nest
    "a chain of larger ones": ([[A], [A, B], [B, C], [C]], 4),
    "between two that stay": ([[A, B, C], [A, C], [A, C, D]], 6),
    "all at once": ([[A, B, C, D]], 7),
}


def lives_in(nests: Sequence[Sequence[Buffer]]) -> dict[Buffer, Lifetime]:
    """The lifetimes of buffers that nests use in turn."""
    return lifetimes([(Timeline([used], []), {each: each for each in used}) for used in nests])


@pytest.mark.parametrize("name", AREAS)
def test_size_of_the_area(name: str) -> None:
    nests, units = AREAS[name]
    offsets, size = scratch_offsets(lives_in(nests))
    assert size == units * ALIGNMENT
    assert {*offsets} == {each for nest in nests for each in nest}


@pytest.mark.parametrize("seed", range(5))
def test_buffers_that_are_live_together_are_apart(seed: int) -> None:
    rng = random.Random(seed)
    buffers = [buffer(f"b{number}", rng.randrange(1, 6)) for number in range(60)]
    pairs = [sorted((rng.randrange(40), rng.randrange(40))) for _ in buffers]
    lives = {each: (first, last) for each, (first, last) in zip(buffers, pairs, strict=True)}
    offsets, size = scratch_offsets(lives)
    bytes_of = {each: {*range(start, start + 4 * each.shape[0])} for each, start in offsets.items()}
    shared = {*sharing(offsets, buffers)}
    for each, (first, last) in lives.items():
        assert offsets[each] % ALIGNMENT == 0 and max(bytes_of[each], default=0) < size
        beside = [other for other in buffers if other != each and bytes_of[each] & bytes_of[other]]
        assert (each in shared) == bool(beside)
        assert not [b for b in beside if first <= lives[b][1] and lives[b][0] <= last]


# A loop of three iterations; `a` to `c` are buffers of 64 KB, and the statements of the body follow.
LOOP = """
input x: 16384xf32
output y: 16384xf32
scratch n: i64
scratch a: 16384xf32
scratch b: 16384xf32
scratch c: 16384xf32
scratch q: 16384xi32
store n[] = i64(0)
BEFORE
while {
  HEAD
  let more = compare(load n[], i64(3), compare_type=SIGNED, comparison_direction=LT: i1)
} more {
  store n[] = (load n[] + i64(1))
  BODY
}
AFTER
parallel z in 0..16384 { store y[z] = load x[z] }
"""
FIRST, SECOND = (
    "parallel i in 0..16384 { store a[i] = load x[i] }",
    "parallel j in 0..16384 { store b[j] = load a[j] }",
)
THIRD = "parallel k in 0..16384 { store c[k] = load b[k] }"
HALF = "parallel h in 0..8192 { store a[h] = load x[h] }"
OTHER_HALF = "parallel g in 0..8192 { store a[g + 8192] = load x[g] }"
NUMBERS = "parallel q0 in 0..16384 { store q[q0] = i32(5) }"
INDEXED = "parallel q1 in 0..16384 { store b[q1] = load x[within(load q[q1], 16384)] }"
PLACED = "parallel p in 0..16384 { store b[within(load n[], 16384)] = load a[p] }"
IF = "if compare(load n[], i64(1), compare_type=SIGNED, comparison_direction=LT: i1)"
INNER = (
    "while { let less = compare(load n[], i64(2), compare_type=SIGNED, comparison_direction=LT: i1) } less"
)
# What is before a loop, in its head, in its body and behind it; and the buffers that are live in all of it.
KEPT: dict[str, tuple[str, str, str, str, str]] = {
    "written, then read": ("", "", FIRST + SECOND + THIRD, "", ""),
    "read from the iteration before": ("", "", SECOND + FIRST, "", "a"),
    "carried to the head": (FIRST, SECOND, FIRST, "", "a"),
    "of the head alone": ("", FIRST + SECOND, "", "", ""),
    "from the head to the body": ("", FIRST, SECOND + THIRD, "", ""),
    "written before the loop": (FIRST, "", SECOND, "", "a"),
    "read behind the loop": (FIRST, "", FIRST, SECOND, "a"),
    "written before and behind it": (FIRST + SECOND, "", "", FIRST + SECOND, "ab"),
    "written in part": ("", "", HALF + SECOND, "", "a"),
    "written in two parts": ("", "", HALF + OTHER_HALF + SECOND, "", ""),
    "written in one case": ("", "", f"{IF} {{ {FIRST} }}" + SECOND, "", "a"),
    "written in both cases": ("", "", f"{IF} {{ {FIRST} }} else {{ {HALF + OTHER_HALF} }}" + SECOND, "", ""),
    "written and read in a case": ("", "", f"{IF} {{ {FIRST + SECOND} }} else {{ {THIRD} }}", "", "b"),
    "of an inner loop": ("", "", f"{INNER} {{ {FIRST + SECOND} }}", "", ""),
    "written in an inner loop": ("", "", f"{INNER} {{ {FIRST} }}" + SECOND, "", "a"),
    "written before, read by the head": (FIRST, SECOND, "", "", "a"),
    "written before, read by the first of two": (FIRST, "", SECOND + THIRD, "", "a"),
    "written by the last statement, read behind": ("", "", FIRST, SECOND, "a"),
    "written by the second of three, read behind": ("", "", FIRST + SECOND + FIRST, THIRD, "b"),
    "numbers in indices": ("", "", NUMBERS + INDEXED, "", "q"),
    "read in an inner loop": ("", "", f"{FIRST} {INNER} {{ {SECOND} }}", "", ""),
}


@pytest.mark.parametrize("name", KEPT)
def test_buffers_that_are_live_in_all_of_a_loop(name: str) -> None:
    before, head, body, after, kept = KEPT[name]
    text = LOOP
    for word, statements in (("BEFORE", before), ("HEAD", head), ("BODY", body), ("AFTER", after)):
        text = text.replace(word, statements)
    program = parse(text)
    times = [timeline(nest) for nest in program.nests]
    lives = lifetimes([(each, {buffer: buffer for buffer in program.buffers}) for each in times])
    (loop,) = [each for times_of in times for each in times_of.loops[-1:]]
    first = sum(len(each.uses) for each in times[: [bool(each.loops) for each in times].index(True)])
    whole = {
        buffer.name
        for buffer, (start, stop) in lives.items()
        if start <= first + loop.first and first + loop.last <= stop
    }
    assert whole & {*"abcq"} == {*kept}


# An iteration multiplies three times by a matrix: the first product is not needed beside the third.
T = "tensor<128x128xf32>"
DOTS = [f"%{k} = stablehlo.dot {a}, %w : ({T}, {T}) -> {T}" for k, a in ((1, "%a"), (2, "%1"), (3, "%2"))]
PRODUCTS = f"""func.func @main(%x: {T}, %w: {T}) -> {T} {{
  {counted("4", {"a": (T, "%x", "%3")}, " ".join(DOTS))}
  return %r#1 : {T}
}}"""


def test_statements_of_a_loop_share_memory() -> None:
    module = shlo.parse(PRODUCTS)
    region = native_function(module, "main", False).region
    assert region is not None
    writer = ModuleWriter()
    made = writer.program(schedule(lower(region).program), "main")
    heads = re.findall(r"^define .*%threads\) nounwind noinline", writer.texts()[0], re.MULTILINE)
    assert any(re.search(r"ptr %p\d", head) for head in heads)  # code may not take them for apart
    array = 128 * 128 * 4
    assert 2 * array <= made.scratch < 4 * array  # all at once are the carried array, and three products
    rng = np.random.default_rng(3)
    w = np.eye(128, dtype=np.float32)[rng.permutation(128)] * rng.choice([-1, 1], 128).astype(np.float32)
    x = rng.integers(-9, 9, (128, 128)).astype(np.float32)
    program = shlo.compile(module, engine="native")
    for _ in range(2):
        assert np.array_equal(program(x, w)[0], x @ np.linalg.matrix_power(w, 12))
