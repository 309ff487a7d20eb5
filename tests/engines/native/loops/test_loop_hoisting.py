"""Folds that do not depend on all loops around them are computed in front of the others."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.schedule.hoist import hoist
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse

BUFFERS = """input x: 4x5xf32
input w: 6x5xf32
output y: 4x6xf32
output z: 4x6xf32
"""
SUM = "s = reduce(add, f32(0.0)) k in 0..5 { load x[i, k] }"
STORES = """{0}store y[i, j] = (s * load w[j, 1])
{0}store z[i, j] = (load y[i, j] + s)"""
NEST = f"""parallel i in 0..4 {{
  parallel j in 0..6 {{
    {SUM}
{STORES.format("    ")}
  }}
}}"""
HOISTED = f"""parallel i in 0..4 {{
  {SUM}
  parallel j in 0..6 {{
{STORES.format("    ")}
  }}
}}"""
ZEROS = """parallel a in 0..4 {
  parallel b in 0..6 {
    store y[a, b] = f32(0.0)
    store z[a, b] = f32(0.0)
  }
}
"""
CASES = {
    "the outer loop": (NEST, HOISTED),
    "the inner loop": (
        NEST.replace("load x[i, k]", "load w[j, k]"),
        HOISTED.replace("load x[i, k]", "load w[j, k]")
        .replace("l i in 0..4", "l _").replace("l j in 0..6", "l i in 0..4").replace("l _", "l j in 0..6"),
    ),
    "both loops": (NEST.replace("load x[i, k]", "(load x[i, k] * load w[j, k])"), ""),
    "both loops, one for its start": (NEST.replace("f32(0.0)", "load w[j, 0]"), ""),
    "both loops, one by a condition": (
        NEST.replace("load x[i, k]", "(load x[i, k] if j >= 2 else f32(1.0))"), ""
    ),
    "no loop": (NEST.replace("load x[i, k]", "load x[2, k]"), ""),
    "the outer loop, and a second fold": (
        NEST.replace("    store y", "    t = reduce(add, s) l in 0..5 { load w[j, l] }\n    store y"),
        HOISTED.replace("    store y", "    t = reduce(add, s) l in 0..5 { load w[j, l] }\n    store y"),
    ),
    "the outer loop, of loops in order": (NEST.replace("parallel j", "for j"), ""),
    "a part of the outer loop": (ZEROS + NEST.replace("i in 0..4", "i in 1..4 of 4"), ""),
    "a part of the inner loop": (ZEROS + NEST.replace("j in 0..6", "j in 0..5 of 6"), ""),
    "a statement before the fold": (
        NEST.replace("    s = ", "    store z[i, j] = f32(2.0)\n    s = "), ""
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_hoisting(name: str) -> None:
    text, wanted = CASES[name]
    program = parse(BUFFERS + text)
    found = hoist(program)
    assert text_of(found) == BUFFERS + (wanted or text)
    assert not verify(found)
    given = [np.arange(size, dtype=np.float32).reshape(-1, 5) - 9 for size in (20, 30)]
    for before, after in zip(*(Interpreter().run(each, given) for each in (program, found)), strict=True):
        np.testing.assert_array_equal(before, after)
