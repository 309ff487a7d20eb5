"""Placement: values in place of loads, stores that nothing reads, and arrays of an iteration; and fusion."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native import cost
from stablehlo_py.engines.native.loop_ir.statements import Program
from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.schedule import place as placement
from stablehlo_py.engines.native.schedule.fuse import fuse
from stablehlo_py.engines.native.schedule.place import place
from stablehlo_py.ir.element_types import numpy_dtype
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse

HEAD = """
input x: 4x6xf32
output y: 4x6xf32
scratch t: 4x6xf32
scratch u: 4x6xf32
"""


def check_same(before: Program, after: Program) -> None:
    """Both are valid, and compute the same."""
    assert not verify(before) and not verify(after)
    rng = np.random.default_rng(3)
    given = [rng.integers(-4, 9, b.shape).astype(numpy_dtype(b.element)) for b in before.in_space("input")]
    for found, wanted in zip(*(Interpreter().run(each, given) for each in (after, before)), strict=True):
        np.testing.assert_array_equal(found, wanted)


def memory_of(program: Program) -> str:
    """The buffers that are no arguments: their space, name and shape."""
    rows = [each for each in program.buffers if each.space in ("scratch", "frame")]
    return ", ".join(f"{each.space} {each.name} {'x'.join(map(str, each.shape))}" for each in rows)


def row(*statements: str) -> str:
    """Loops over rows, and statements in loops over their elements `j`."""
    numbered = [re.sub(r"\bj\b", f"j{k}", each) for k, each in enumerate(statements)]
    inner = [f"parallel j{k} in 0..6 {{ {each} }}" for k, each in enumerate(numbered)]
    return "parallel i in 0..4 {{\n{}\n}}\n".format("\n".join(inner))


T, Y = "store t[i, j] = load x[i, j]", "store y[i, j] = load t[i, j]"
TURN = "store y[i, j] = load t[i, -j + 5]"
PLACES = {  # what loops do, and the memory that is left
    "an element": (row(f"{T} store y[i, j] = (load t[i, j] + load t[i, j])"), ""),
    "a row": (row(T, TURN), "frame t 6"),
    "another row": (row(T) + row("store y[i, j] = load t[-i + 3, j]"), "scratch t 4x6"),
    "two nests": (row(T) + row(Y), "scratch t 4x6"),
    "a nest and a statement": (row(T, TURN) + "store t[1, 2] = f32(5.0)\n", "scratch t 4x6"),
    "an element that is stored twice": (row(f"{T} store t[i, j] = (load t[i, j] * f32(3.0)) {Y}"), ""),
    "another element in between": (row(T, f"store t[i, -j + 5] = f32(7.0) {TURN}"), ""),
    "a row that is stored in part": (
        row(T)[:-2] + "store t[i, 2] = f32(5.0)\nparallel k in 0..6 { store y[i, k] = load t[i, k] } }\n",
        "frame t 6",
    ),
    "a loop in between": (
        "parallel i in 0..4 { store t[i, 0] = load x[i, 1]\n"
        "parallel j in 0..6 { store y[i, j] = load t[i, 0] } }\n",
        "",
    ),
    "a loop in between that stores it": (
        "parallel i in 0..4 { store t[i, 0] = load x[i, 1]\n"
        "for j in 0..6 { store t[i, 0] = (load t[i, 0] + f32(1.0)) store y[i, j] = load t[i, 0] } }\n",
        "frame t 6",
    ),
    "another row besides": (
        "for i in 0..4 { parallel j in 0..6 { store t[i, j] = load x[i, j] }\n"
        "parallel k in 0..6 { store t[-i + 3, k] = f32(7.0) }\n"
        "parallel l in 0..6 { store y[i, l] = load t[i, l] } }\n",
        "scratch t 4x6",
    ),
    "columns": (
        "parallel j in 0..6 { parallel i in 0..4 { store t[i, j] = load x[i, j] }\n"
        "parallel k in 0..4 { store y[k, j] = load t[-k + 3, j] } }\n",
        "scratch t 4x6",
    ),
    "dead": (row(f"{T} store y[i, j] = f32(1.0)"), ""),
    "dead because of another": (
        row(T) + row("store u[i, j] = load t[i, -j + 5]") + row("store y[i, j] = f32(2.0)"), ""
    ),
    "two rows": (
        row(T, "store u[i, j] = load t[i, -j + 5]", "store y[i, j] = (load u[i, -j + 5] + load t[i, j])"),
        "frame t 6, frame u 6",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_memory(name: str) -> None:
    text, memory = PLACES[name]
    program = parse(HEAD + text)
    after = place(program)
    check_same(program, after)
    assert memory_of(after) == memory


def test_a_statement_that_alone_uses_an_array_has_no_frame() -> None:
    """The array behind it has one; what the statement reads does not matter here."""
    counted = "store t[1, 2] = (load t[1, 2] + f32(1.0))\n"
    rows = row("store u[i, j] = load x[i, j]", "store y[i, j] = load u[i, -j + 5]")
    assert memory_of(place(parse(HEAD + counted + rows))) == "scratch t 4x6, frame u 6"


@pytest.mark.parametrize(
    ("array", "frame", "memory"),
    [
        (24, 48, "frame t 6, frame u 6"),
        (23, 48, "scratch t 4x6, scratch u 4x6"),
        (24, 47, "frame t 6, scratch u 4x6"),
    ],
)
def test_frames_are_bounded(array: int, frame: int, memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes: of an array, and of all arrays of a frame."""
    monkeypatch.setattr(cost, "ARRAY", array)
    monkeypatch.setattr(placement, "_FRAME", frame)
    assert memory_of(place(parse(HEAD + PLACES["two rows"][0]))) == memory


def test_loops_that_share_an_array_of_a_frame_are_in_order() -> None:
    text = """
input x: 2x3x5xf32
output y: 2x3x5xf32
output z: 2xf32
scratch u: 2x3x5xf32
parallel a in 0..2 {
  store z[a] = f32(1.0)
  parallel b in 0..3 {
    parallel c in 0..5 { store u[a, b, c] = load x[a, b, c] }
    parallel d in 0..5 { store y[a, b, d] = load u[a, b, -d + 4] }
  }
}
"""
    program = parse(text)
    after = place(program)
    check_same(program, after)
    assert memory_of(after) == "frame u 5"
    assert [line.split()[0] for line in text_of(after).splitlines() if " in 0.." in line] == [
        "parallel", "for", "parallel", "parallel",
    ]  # fmt: skip


SINES, ONES = "store t[i, j] = sine(load x[i, j])", "store y[i, j] = f32(1.0)"
FUSED = [  # nests, and how many are left
    (row(SINES) + row(TURN), 1),
    (row(SINES) + row(TURN.replace("t[i", "t[-i + 3")), 2),  # reads another row
    (row(SINES) + row("store y[i, j] = (load t[i, j] + load t[-i + 3, j])"), 2),
    (row(SINES) + row("store y[i, j] = load x[i, j]"), 1),
    (row(SINES) + row(f"store t[i, j] = (load t[i, j] * f32(2.0)) {Y}"), 1),
    (row(SINES) + row("store u[i, j] = load t[i, j] store y[i, j] = load u[i, j]"), 1),
    (row(SINES) + row("store u[-i + 3, j] = load x[i, j]") + row("store y[i, j] = load u[i, j]"), 2),
    (row(SINES) + row(f"store t[-i + 3, j] = f32(1.0) {ONES}"), 2),  # stores other rows
    (row("store y[i, j] = load x[i, j]") + f"for i in 0..4 {{ for j in 0..6 {{ {ONES} }} }}\n", 2),
    (row(SINES) + f"parallel i in 0..2 {{ parallel j in 0..6 {{ {SINES} }} }}\n" + row(TURN), 3),
    (row("store u[i, j] = load x[i, j]", "store t[i, j] = load u[i, j]") + row(TURN), 1),
    # A nest stores a column and a row: an element of the row is read by another iteration.
    ("parallel i in 0..4 { store t[0, i] = load x[i, 1] store t[i, 5] = load x[i, 2] }\n"
     + row("store y[i, j] = (load t[i, 3] if -i >= 0 else load t[i, 5])"), 2),
    # A row that all iterations of one nest store, and all rows, behind it.
    ("parallel i in 0..4 { store t[0, i] = f32(7.0) }\n" + row(T) + row(Y), 2),
    # The first of joined nests reads other rows of what the next one stores.
    ("for i in 0..4 { for j in 0..6 { store u[i, j] = load x[i, j] } }\n"
     + row("store t[i, j] = load u[-i + 3, j]") + row("store y[i, j] = (load u[i, j] + load t[i, j])")
     + row("store u[i, j] = f32(2.0)"), 3),
    # The first loop takes no other. The second and the third are one, whose last part reads what the fourth
    # stores, from other rows.
    (f"for i in 0..4 {{ for j in 0..6 {{ store u[i, j] = load x[i, j] }} }}\n{row(SINES)}"
     + row("store y[i, j] = load u[-i + 3, j]") + row("store u[i, j] = f32(2.0)"), 3),
]  # fmt: skip


@pytest.mark.parametrize(("text", "count"), FUSED)
def test_nests_over_the_same_rows_are_one(text: str, count: int) -> None:
    rest = "" if "store y" in text else row("store y[i, j] = f32(0.0)")
    program = parse(HEAD + rest + text if rest else HEAD + text)
    after = fuse(program)
    check_same(program, after)
    assert len(after.body) == count


HEAD_OF_ROWS = """
input x: 16x{0}xf32
input w: {0}x{0}xf32
output y: 16x{0}xf32
output z: 16x{0}xf32
"""
MAP = "parallel i in 0..16 {{ parallel j in 0..{0} {{ store y[i, j] = sine(load x[i, j]) }} }}\n"
SUM = """parallel i in 0..16 {{
  s = reduce(add, f32(0.0)) k in 0..{0} {{ load {1}[i, k] }}
  parallel j in 0..{0} {{ store {2}[i, j] = (s + load {1}[i, j]) }}
}}
"""
PRODUCT = """parallel i in 0..16 {{ parallel j in 0..{0} {{
  s = reduce(add, f32(0.0)) k in 0..{0} {{ (load x[i, k] * load w[k, j]) }}
  store y[i, j] = s
}} }}
"""


@pytest.mark.parametrize(
    ("first", "second", "columns", "count"),
    [
        (MAP, SUM.replace("{1}", "y").replace("{2}", "z"), 40, 1),
        (MAP, SUM.replace("{1}", "y").replace("{2}", "z"), 5, 2),  # a map of short rows is one loop
        (SUM.replace("{1}", "x").replace("{2}", "z"), MAP, 5, 2),
        (SUM.replace("{1}", "x").replace("{2}", "y"), SUM.replace("{1}", "y").replace("{2}", "z"), 5, 1),
        (PRODUCT, SUM.replace("{1}", "y").replace("{2}", "z"), 16, 2),  # a product is computed in tiles
        (SUM.replace("{1}", "x").replace("{2}", "z"), PRODUCT, 16, 2),
    ],
)
def test_what_rows_are_for(first: str, second: str, columns: int, count: int) -> None:
    program = parse((HEAD_OF_ROWS + first + second).format(columns))
    after = fuse(program)
    check_same(program, after)
    assert len(after.body) == count
