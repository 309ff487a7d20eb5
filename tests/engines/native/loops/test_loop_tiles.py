"""Tiles of products and strips of columns: their sizes, the copies that are made, and the outermost loops.

All for a processor with tiles of 6 rows of 16 floats and a second cache of 4 KiB, of which a quarter is for
packed rows and half for panels: 512 floats. Blocks of terms are of 16, at most, where there are 48 or more.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from test_loop_columns import ROWS as SUMS
from test_loop_columns import SINES, STORE, SUM
from test_loop_columns import TWO as PAIRS
from test_loop_machines import X86

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.statements import Loop, Program
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.machine import Machine, made_for
from stablehlo_py.engines.native.schedule.columns import columns
from stablehlo_py.engines.native.schedule.tile import tile
from stablehlo_py.ir.element_types import numpy_dtype
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse

SMALL = Machine(X86, "haswell", "+avx2,+fma", 4 << 10)
PRODUCT = """
input x: MxKxf32
input y: KxNxf32
output z: MxNxf32
parallel i in 0..M { parallel j in 0..N {
  s = reduce(add, f32(0.0)) k in 0..K { (LEFT * RIGHT) }
  store z[i, j] = s
} }
"""


def sized(rows: int, terms: int, columns: int, text: str = PRODUCT, **parts: str) -> str:
    """A nest with extents, and with parts in place of its own."""
    text = text.replace("LEFT", parts.get("left", "load x[i, k]"))
    text = text.replace("RIGHT", parts.get("right", "load y[k, j]"))
    for name, extent in (("M", rows), ("K", terms), ("N", columns)):
        text = text.replace(name, str(extent))
    return text


def memory_of(program: Program) -> str:
    """The buffers that are no arguments, and their shapes; of a tile, its sums."""
    found = []
    for each in program.buffers:
        name = each.name.rstrip("0123456789")
        if each.space in ("scratch", "frame") and name != "tile":
            where = "*" if each.space == "frame" and name != "sums" else ""
            found.append(f"{where}{name} {'x'.join(map(str, each.shape))}")
    return ", ".join(found)


def shared_by(program: Program) -> list[int]:
    """The extents of the outermost loops, which threads share."""
    nests = [each for each in program.body if isinstance(each, Loop)]
    return [each.variable.extent for each in nests]


def changed(text: str, stage: Callable[[Program], Program] = tile) -> Program:
    """A program after a stage, which computes the same: small integers, whose sums are exact."""
    before = parse(text)
    with made_for(SMALL):
        after = stage(before)
    for each in (before, after):
        assert not verify(each)
    assert len({each.name for each in after.buffers}) == len(after.buffers)
    rng = np.random.default_rng(3)
    given = [rng.integers(-4, 5, b.shape).astype(numpy_dtype(b.element)) for b in before.in_space("input")]
    found, wanted = (Interpreter().run(each, given) for each in (after, before))
    for pair in zip(found, wanted, strict=True):
        np.testing.assert_allclose(*pair, rtol=1e-5)
    return after


BATCHES = PRODUCT.replace("z: M", "z: BxM").replace("parallel i", "parallel b in 0..B { parallel i")
BATCHES = BATCHES.replace("z[i", "z[b, i").replace("} }", "} } }")
OF_LEFT, OF_RIGHT = BATCHES.replace("x: M", "x: BxM"), BATCHES.replace("y: K", "y: BxK")
OF_BOTH = OF_LEFT.replace("y: K", "y: BxK")
LEFT, RIGHT = "load x[b, i, k]", "load y[b, k, j]"
BORDER = "(load y[k, j + -1] if j >= 1 else f32(0.0))"
SINE = "sine(load x[i, k])"
TURNED, OF_ROWS = PRODUCT.replace("y: KxN", "y: NxK"), "load y[j, k]"
TWO = PRODUCT.replace("k in 0..K", "k in 0..K, m in 0..P").replace("x: MxK", "x: MxKxP")
TWO = TWO.replace("y: KxN", "y: NxKxP")


def batches(text: str, count: int, *extents: int, **parts: str) -> str:
    return sized(*extents, text=text.replace("B", str(count)), **parts)


def two(last: int, *extents: int) -> str:
    """Sums over two loops."""
    text = TWO.replace("P", str(last))
    return sized(*extents, text=text, left="load x[i, k, m]", right="load y[j, k, m]")


# A nest, its memory (* in a frame), and the extents of its outermost loops: panels, groups of rows, ...
ROWS = {
    # sizes of tiles: divisors of the rows from 4 on, else 6 rows and the rest
    "rows of 6": (sized(18, 8, 64), "sums 6x16", [4]),
    "rows of 4": (sized(32, 8, 64), "sums 4x16", [4]),
    "the last columns": (sized(18, 7, 70), "sums 6x16, sums 6x8", [4, 1]),
    "f64": (sized(18, 8, 64).replace("f32", "f64"), "sums 6x8", [8]),
    "i64": (sized(18, 8, 64).replace("f32(0.0)", "f32(0)").replace("f32", "i64"), "sums 6x8", [8]),
    # few rows of more columns, if these are all of them
    "3 rows": (sized(3, 8, 64), "sums 3x32", [2]),
    "3 rows, other columns": (sized(3, 8, 48), "sums 3x16", [3]),
    "2 rows": (sized(2, 8, 64), "sums 2x32", [2]),
    "3 rows in panels": (sized(3, 8, 64, TURNED, right=OF_ROWS), "panels 4x8x16, sums 3x16", [4, 4]),
    # panels: of more than 32 rows, or of columns with a stride of more than 4
    "33 rows": (sized(33, 8, 64), "panels 4x8x16, sums 6x16, sums 3x16", [4, 4]),
    "a stride of 4": (sized(18, 4, 64, TURNED, right=OF_ROWS), "sums 6x16", [4]),
    "a stride of 5": (
        sized(18, 5, 64, TURNED, right=OF_ROWS), "panels 4x5x16, sums 6x16", [4, 4]
    ),
    "a last panel with zeros": (
        sized(36, 8, 53), "panels 3x8x16, sums 6x16, panels 1x8x8, sums 6x8", [3, 3, 8, 1]
    ),
    "batches of 32 rows": (batches(OF_LEFT, 4, 8, 4, 32, left=LEFT), "sums 4x16", [4]),
    "batches of 36 rows": (
        batches(OF_LEFT, 4, 9, 4, 32, left=LEFT), "panels 2x4x16, sums 6x16, sums 3x16", [2, 4]
    ),
    "batches of columns": (batches(OF_RIGHT, 4, 9, 4, 32, right=RIGHT), "sums 6x16, sums 3x16", [4]),
    "batches of columns in panels": (
        batches(OF_RIGHT, 2, 36, 4, 32, right=RIGHT), "panels 2x2x4x16, sums 6x16", [2, 2]
    ),
    # panels of more than 512 elements are packed in turn, if the left factor stays in a cache
    "504 elements": (sized(36, 14, 36), "panels 2x14x16, sums 6x16, panels 1x14x4, sums 6x4", [2, 2, 14, 1]),
    "518 elements": (sized(36, 14, 37), "*panels 14x16, sums 6x16, *panels 14x8, sums 6x8", [2, 1]),
    # 4 KiB of rows are 1024 elements: of more, groups of 1 KiB are read for all panels
    "1008 elements of rows": (
        sized(24, 42, 11, TURNED, right=OF_ROWS), "panels 1x42x16, sums 6x16", [42, 1]
    ),
    "1032 elements of rows": (
        sized(24, 43, 11, TURNED, right=OF_ROWS), "panels 1x43x16, sums 6x16", [43, 4]
    ),
    # a left factor of functions: computed in front for 64 rows or several products, else by groups of 1 KiB
    "functions of 64 rows": (sized(64, 4, 64, left=SINE), "left 64x4, panels 4x4x16, sums 4x16", [64, 4, 4]),
    "functions of 72 rows": (sized(72, 4, 64, left=SINE), "panels 4x4x16, *rows 36x4, sums 6x16", [4, 2]),
    "functions of long rows": (sized(72, 8, 32, left=SINE), "panels 2x8x16, *rows 24x8, sums 6x16", [2, 3]),
    "functions for several products": (
        batches(OF_RIGHT, 2, 72, 4, 32, left=SINE, right=RIGHT),
        "left 72x4, panels 2x2x4x16, sums 6x16",
        [72, 2, 2],
    ),
    "functions of 2x32 rows": (
        batches(OF_BOTH, 2, 32, 4, 32, left=f"sine({LEFT})", right=RIGHT), "left 2x32x4, sums 4x16", [2, 2]
    ),
    "functions of 2x36 rows": (
        batches(OF_BOTH, 2, 36, 4, 32, left=f"sine({LEFT})", right=RIGHT),
        "panels 2x2x4x16, *rows 36x4, sums 6x16",
        [2, 2],
    ),
    "a tile of rows in 1 KiB": (sized(18, 42, 16, left=SINE), "left 18x42, sums 6x16", [18, 1]),
    "a tile of rows beyond 1 KiB": (sized(18, 43, 16, left=SINE), "", [18]),
    "an array with padding": (
        sized(
            18, 8, 64, PRODUCT.replace("x: MxK", "x: 40"),
            left="(load x[i + k + -2] if i + k >= 2 else f32(0.0))",
        ),
        "padded 25, sums 6x16",
        [25, 4],
    ),
    "columns with padding, of few rows": (
        sized(18, 8, 32, right=BORDER), "padded 8x32, sums 6x16", [8, 2]
    ),
    "columns with padding": (sized(36, 8, 32, right=BORDER), "panels 2x8x16, sums 6x16", [2, 2]),
    # blocks of terms, of which there are more than the block has eighths
    "47 terms": (sized(6, 47, 32), "sums 6x16", [2]),
    "48 terms": (sized(6, 48, 32), "totals 6x32, sums 6x16", [6, 2, 6]),
    "53 terms": (sized(6, 53, 16), "sums 6x16", [1]),
    "58 terms": (
        sized(6, 58, 16, TURNED, right=OF_ROWS), "totals 6x16, *panels 2x16, sums 6x16", [6, 1, 6]
    ),
    "3x20 terms": (two(20, 6, 3, 16), "totals 6x16, *panels 10x16, sums 6x16", [6, 1, 6]),
    "8x7 terms": (two(7, 6, 8, 16), "totals 6x16, *panels 2x7x16, sums 6x16", [6, 1, 6]),
    "totals of vectors that overlap": (sized(6, 48, 21), "totals 6x21, sums 6x16, sums 6x8", [6, 1, 1, 6]),
    "totals of whole panels": (
        sized(6, 48, 21, TURNED, right=OF_ROWS),
        "totals 6x24, *panels 16x16, sums 6x16, *panels 16x8, sums 6x8",
        [6, 1, 1, 6],
    ),
    "blocks of few columns": (
        sized(6, 48, 8, TURNED, right=OF_ROWS), "totals 6x8, *panels 16x8, sums 6x8", [6, 1, 6]
    ),
    "blocks of batches": (
        batches(OF_LEFT, 9, 4, 48, 16, left=LEFT), "totals 9x4x16, *panels 16x16, sums 4x16", [9, 9, 9]
    ),
    # what a product is
    "factors in the other order": (
        sized(18, 8, 64, left="load y[k, j]", right="load x[i, k]"), "sums 6x16", [4]
    ),
    "a factor of each group": (
        sized(18, 8, 64, PRODUCT.replace("x: MxK", "x: MxKx4"), left="load x[i, k, (j) / 16]"),
        "sums 6x16",
        [4],
    ),
    "no whole groups": (
        sized(18, 8, 60, PRODUCT.replace("x: MxK", "x: MxKx4"), left="load x[i, k, (j) / 16]"), "", [18]
    ),
    "loops of stores": (
        sized(
            18, 8, 32,
            PRODUCT.replace("z: MxN", "z: MxNx2").replace(
                "store z[i, j] = s", "for q in 0..2 { store z[i, j, q] = s }"
            ),
        ),
        "sums 6x16",
        [2],
    ),
    "few products": (sized(3, 5, 17), "", [3]),
    "256 products": (sized(4, 4, 16), "sums 4x16", [1]),
    "f16": (sized(18, 8, 64).replace("f32", "f16"), "", [18]),
    "maxima": (sized(18, 8, 64).replace("(add,", "(maximum,"), "", [18]),
    "sums of sums": (sized(18, 8, 64).replace("*", "+"), "", [18]),
    "columns in order": (sized(18, 8, 64).replace("parallel j", "for j"), "", [18]),
    "one factor": (sized(18, 8, 64, right="load y[k, 0]"), "", [18]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_tiles(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, memory, shared = ROWS[name]
    monkeypatch.setattr(cost, "BLOCK", 16)
    after = changed(text)
    assert memory_of(after) == memory
    assert shared_by(after) == shared


IN_A_LOOP = """
input x: 18x8xf32
input w: 8x64xf32
output z: 18x64xf32
scratch y: 8x64xf32
scratch n: i32
parallel a in 0..8 { parallel b in 0..64 { store y[a, b] = load w[a, b] } }
parallel c in 0..18 { parallel d in 0..64 { store z[c, d] = f32(0.0) } }
store n[] = i32(0)
while trips TRIPS steps 1 { } compare(load n[], i32(2), compare_type=SIGNED, comparison_direction=LT: i1) {
  parallel i in 0..18 { parallel j in 0..64 {
    s = reduce(add, f32(0.0)) k in 0..8 { (load x[i, k] * load RIGHT[k, j]) }
    store z[i, j] = (load z[i, j] + s)
  } }
  parallel e in 0..8 { parallel f in 0..64 { store y[e, f] = (load y[e, f] + f32(1.0)) } }
  store n[] = (load n[] + i32(1))
}
"""


@pytest.mark.parametrize(("right", "trips", "packed"), [("w", 8, True), ("w", 7, False), ("y", 8, False)])
def test_panels_are_packed_in_front_of_a_loop_that_does_not_change_them(
    right: str, trips: int, packed: bool
) -> None:
    after = changed(IN_A_LOOP.replace("RIGHT", right).replace("TRIPS", str(trips)))
    assert ("panels" in memory_of(after)) == packed


@pytest.mark.parametrize(
    ("least", "functions", "loads"),
    [
        (0, "left 18x8, sums 6x16", "*panels 12x16, sums 6x16"),
        (1, "*rows 18x8, sums 6x16", "panels 4x12x16, sums 6x16"),
    ],
)
def test_left_factors_that_stay_in_a_cache(
    least: int, functions: str, loads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are computed in front, or read again for each panel that is packed."""
    monkeypatch.setattr(cost, "ROWS", 18 * 8 * 4 - least)
    assert memory_of(changed(sized(18, 8, 64, left=SINE))) == functions
    monkeypatch.setattr(cost, "ROWS", 36 * 12 * 4 - least)
    assert memory_of(changed(sized(36, 12, 64))) == loads


MORE = """u = reduce(add, f32(0.0)) k2 in 0..20 {{ load x[k2, j] }}
  {0}store y[{1}] = (s + u{2})"""
THIRD = "v = reduce(add, f32(0.0)) k3 in 0..20 { load x[k3, j] }\n  "
FRAME = SINES.replace("scratch t: 20x40xf32", "frame t: Txf32").replace(
    "s = reduce", "for k3 in 0..T { store t[k3] = load x[k3, j] }\n  s = reduce"
)
FRAME = FRAME.replace("load x[k, j]", "(load x[k, j] + load t[0])")
FOLDED = "s = reduce(add, f32(0.0)) k in 0..20 { load x[k, j] }"
STRIPS = {
    # sums in 4 rows of registers: of 4 times 16 columns, or of rows; the last vectors overlap
    "40 columns": (SUM, "sums 1x32, sums 1x8", [1, 1]),
    "3 columns": (SUM.replace("40", "3").replace("20", "30"), "", [3]),
    "4 columns": (SUM.replace("40", "4"), "sums 1x4", [1]),
    "64 columns": (SUM.replace("40", "64"), "sums 1x64", [1]),
    "129 columns": (SUM.replace("40", "129"), "sums 1x64, sums 1x1", [2, 1]),
    "72 columns of f64": (SUM.replace("40", "72").replace("f32", "f64"), "sums 1x32, sums 1x8", [2, 1]),
    "6 rows": (SUMS, "sums 3x16, sums 3x8", [2]),
    "7 rows": (SUMS.replace("6", "7"), "sums 4x16, sums 4x8, sums 3x16, sums 3x8", [1, 1]),
    "8 rows": (SUMS.replace("6", "8"), "sums 4x16, sums 4x8", [2]),
    "2 rows": (SUMS.replace("6", "2"), "sums 2x32, sums 2x8", [1]),
    "two sums": (
        SUM.replace(STORE, MORE.format("", "j", "")), "sums 1x32, sums 1x32, sums 1x8, sums 1x8", [1, 1]
    ),
    "three sums": (
        SUM.replace(STORE, MORE.format(THIRD, "j", " + v").replace("u + v", "(u + v)")),
        "sums 1x16, sums 1x16, sums 1x16, sums 1x8, sums 1x8, sums 1x8",
        [2, 1],
    ),
    "two sums of rows": (
        SUMS.replace("store y[i, j] = s", MORE.format("", "i, j", "")),
        "sums 2x16, sums 2x16, sums 2x8, sums 2x8",
        [3],
    ),
    # in frames of 512 bytes: as many columns as have all their values there, but no fewer than 16
    "values": (SINES.replace("40", "300"), "*s 128, *s 44", [2, 1]),
    "two values": (SUM.replace("40", "70").replace(FOLDED, PAIRS), "*s 64, *n 64, *s 6, *n 6", [1, 1]),
    "arrays of 4": (FRAME.replace("T", "4"), "*t 4x25, *s 25, *t 4x15, *s 15", [1, 1]),
    "arrays of 7": (FRAME.replace("T", "7"), "*t 7x16, *s 16, *t 7x8, *s 8", [2, 1]),
    "arrays of 8": (FRAME.replace("T", "8"), "*t 8", [40]),
}  # fmt: skip


@pytest.mark.parametrize("name", STRIPS)
def test_strips(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, memory, shared = STRIPS[name]
    monkeypatch.setattr(cost, "FOLDED", 64)
    monkeypatch.setattr(cost, "NEIGHBOURS", 16)
    after = changed(re.sub("scratch .*\n", "", text), columns)
    assert memory_of(after) == memory
    assert shared_by(after) == shared


WINDOWS = """
input x: AxBxf32
output y: 8x40xf32
parallel i in 0..8 { parallel j in 0..40 {
  s = reduce(add, f32(0.0)) k in 0..T { VALUE }
  store y[i, j] = s
} }
"""
TAPS = "(load x[i, S*j + k + -1] if S*j + k >= 1 else f32(0.0))"
IN_VECTORS = "sums 4x16, sums 4x8"


@pytest.mark.parametrize(
    ("shape", "taps", "value", "memory"),
    [
        # a copy with as many elements as the reads that test for the border, or half as many as other reads
        ((8, 50), 3, TAPS.replace("S", "1"), f"padded 8x42, {IN_VECTORS}"),
        ((8, 50), 1, TAPS.replace("S", "1"), f"padded 8x40, {IN_VECTORS}"),
        ((8, 90), 2, TAPS.replace("S", "2"), f"padded 8x80, {IN_VECTORS}"),
        ((8, 130), 2, TAPS.replace("S", "3"), "*s 40"),  # of 119 columns
        ((8, 202), 6, TAPS.replace("S", "5"), ""),  # at a larger distance than vectors are read
        ((8, 50), 3, "load x[i, j + k]", IN_VECTORS),  # is read as it is
        ((50, 8), 3, "load x[j + k, 7]", f"padded 1x42, {IN_VECTORS}"),
        ((50, 4), 3, "load x[j + k, 0]", IN_VECTORS),
        ((8, 50), 3, "(load x[i, j + k + -1] if j + k - i >= 1 else f32(0.0))", "*s 40"),  # of two dimensions
        ((8, 50), 3, "(load x[i, j + k + -1] if j + k >= 1 else load x[i, 0])", "*s 40"),  # no constant
        ((8, 50), 3, "(load x[2, j + k + -1] if j + k >= 1 else f32(0.0))", f"padded 1x42, {IN_VECTORS}"),
    ],
)
def test_copies_with_padding(
    shape: tuple[int, int], taps: int, value: str, memory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "FOLDED", 64)
    text = WINDOWS.replace("VALUE", value).replace("A", str(shape[0])).replace("B", str(shape[1]))
    assert memory_of(changed(text.replace("T", str(taps)), columns)) == memory
