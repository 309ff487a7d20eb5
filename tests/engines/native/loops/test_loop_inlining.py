"""Inlining: a value is computed where it is used, if what it is computed from is the same there."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.schedule.inline import inline
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse

HEAD = """
input x: 3xf32
output y: 3xf32
scratch a: 3xf32
scratch b: 3xf32
scratch c: 3xf32
"""


def nest(target: str, value: str) -> str:
    """A loop over three elements."""
    return f"parallel i in 0..3 {{\n  store {target} = {value}\n}}\n"


def inlined(text: str) -> tuple[str, list[float]]:
    """The text of a program after inlining, and its output for `x` = 1, 2, 3."""
    program = parse(HEAD + nest("a[i]", "load x[i]") + text)
    assert not verify(program)
    after = inline(program)
    assert not verify(after)
    ((found,), (wanted,)) = (Interpreter().run(each, [np.float32([1, 2, 3])]) for each in (after, program))
    np.testing.assert_array_equal(found, wanted)
    return text_of(after), found.tolist()


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        # an element of another place of the array that the reader changes
        (nest("b[i]", "load a[-i + 2]") + nest("a[i]", "load b[i]"), [3, 2, 1]),
        # an element of the same place
        (nest("b[i]", "negate(load a[i])") + nest("a[i]", "load b[i]"), [-1, -2, -3]),
        # an element of another place, by a value between
        (
            nest("b[i]", "load a[-i + 2]") + nest("c[i]", "negate(load b[i])") + nest("a[i]", "load c[i]"),
            [-3, -2, -1],
        ),
        # the reader reads another place of the value
        (nest("b[i]", "negate(load a[i])") + nest("a[i]", "load b[-i + 2]"), [-3, -2, -1]),
        # the reader stores the array before it reads the value
        (
            nest("b[i]", "negate(load a[i])")
            + "if compare(load x[0], load x[1], compare_type=FLOAT, comparison_direction=LT: i1) {\n"
            + nest("a[i]", "f32(9.0)")
            + nest("a[i]", "load b[i]")
            + "}\n",
            [-1, -2, -3],
        ),
    ],
)
def test_values_are_kept_of_what_their_reader_changes(steps: str, wanted: list[float]) -> None:
    text, found = inlined(steps + nest("y[i]", "load a[i]"))
    assert found == wanted
    assert "scratch b" in text or "scratch c" in text
