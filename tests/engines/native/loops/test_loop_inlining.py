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


BUFFERS = """
input x: 3xf32
input w: 3x4xf32
output y: 3xf32
output z: 3xf32
output u: {0}x3xf32
output v: 3x4xf32
scratch b: 3xf32
scratch c: 3xf32
scratch d: 3x1x4xf32
"""
REST = {  # the stores of outputs that a row leaves out
    "y": nest("y[i]", "f32(0.0)"),
    "z": nest("z[i]", "f32(0.0)"),
    "u": "parallel r in 0..{0} { parallel i in 0..3 { store u[r, i] = f32(0.0) } }\n",
    "v": "parallel i in 0..3 { parallel j in 0..4 { store v[i, j] = f32(0.0) } }\n",
}
EXP, NEXT = "exponential(load x[i])", "(load x[i] + f32(1.0))"
B, OF_B = nest("b[i]", EXP), nest("y[i]", "load b[i]")
SUM = "s = reduce(add, f32(0.0)) k in 0..3 { load b[k] }"
SUMS_OF_B = f"parallel r in 0..{{0}} {{ {SUM} store u[r, 0] = s store u[r, 1] = s store u[r, 2] = s }}\n"
IF = "if compare(load x[0], f32(5.0), compare_type=FLOAT, comparison_direction=LT: i1)"
ROWS_OF_B = "parallel r in 0..{0} { parallel i in 0..3 { store u[r, i] = load b[i] } }\n"
GUARDED = "parallel i in 0..3 { where i >= 1 { store b[i] = load x[i] } else { store b[i] = f32(1.0) } }\n"
TURNED = "i in 0..3 { parallel j in 0..4", "j in 0..4 { parallel i in 0..3"
D = "parallel i in 0..3 { parallel j in 0..4 { store d[%s] = negate(load w[i, j]) } }\n"
OF_D = "parallel i in 0..3 { parallel j in 0..4 { store v[i, j] = load d[i, 0, j] } }\n"


@pytest.mark.parametrize(
    ("text", "rows", "stay"),
    [
        (B + OF_B, 1, ""),
        (B + nest("y[i]", "load b[-i + 2]"), 1, "b"),  # elements at other places
        (nest("b[i]", NEXT) + nest("y[i]", "load b[-i + 2]"), 1, ""),  # which are computed again
        (B + OF_B + nest("z[i]", "load b[i]"), 1, "b"),  # in two nests
        (nest("b[i]", NEXT) + OF_B + nest("z[i]", "load b[i]"), 1, ""),
        (B + nest("c[i]", "(load b[i] + f32(1.0))") + nest("y[i]", "load c[i]"), 1, ""),
        (B + nest("c[i]", "(load b[i] + load x[0])") + nest("y[i]", "load c[i]") + nest("z[i]", "load b[i]"),
         1, "b"),
        (B + nest("c[i]", "sine(load b[i])") + nest("y[i]", "load c[i]") + nest("z[i]", "load c[i]"), 1, "c"),
        (B + nest("c[i]", "sine(load b[-i + 2])") + nest("y[i]", "load c[i]"), 1, "b"),
        (B + nest("c[i]", "(load b[i] + f32(1.0))") + nest("y[i]", "load c[-i + 2]"), 1, "c"),
        (B + nest("y[i]", "(load b[i] + load b[-i + 2])"), 1, "b"),
        (B + ROWS_OF_B, 2, "b"),  # each element for two
        (nest("b[i]", NEXT) + ROWS_OF_B, 7, ""),
        (nest("b[i]", "exponential(exponential(load x[0]))") + ROWS_OF_B, 7, "b"),
        # a sum reads all of it in each iteration: 8 times, or 7
        (B + SUMS_OF_B, 8,
         "b"),
        (B + SUMS_OF_B, 7,
         ""),
        (B + f"{IF} {{ {SUMS_OF_B} }} else {{ {REST['u']} }}\n", 4, ""),
        (B + f"{SUM} store y[0] = s store y[1] = s store y[2] = f32(1.0)\n", 1, ""),
        # what is no map: another order, a part, a name, a condition
        (nest("b[-i + 2]", EXP) + OF_B, 1, "b"),
        (nest("b[i]", NEXT) + "parallel i in 0..2 { store b[i] = load x[i] }\n" + OF_B, 1, "b"),
        (f"parallel i in 0..3 {{ let e = {NEXT} store b[i] = e }}\n" + OF_B, 1, "b"),
        (GUARDED + OF_B, 1, "b"),
        (D % "i, 0, j" + OF_D, 1, ""),
        ((D % "i, 0, j").replace(*TURNED) + OF_D, 1, "d"),
        # what nothing reads is left to a later stage
        (B + nest("y[i]", "load x[i]"), 1, "b"),
        (nest("y[i]", EXP) + nest("z[i]", "load y[i]"), 1, ""),  # an output is stored, and read
        # in a block of its own
        (f"{IF} {{\n" + B + OF_B
         + "} else {\n" + nest("y[i]", "f32(2.0)") + "}\n", 1, ""),
    ],
)  # fmt: skip
def test_values_that_are_stored(text: str, rows: int, stay: str) -> None:
    left = "".join(each for name, each in REST.items() if f"store {name}[" not in text)
    program = parse((BUFFERS + text + left).replace("{0}", str(rows)))
    assert not verify(program)
    after = inline(program)
    assert not verify(after)
    used = {each for each in "bcd" if f"store {each}[" in text_of(after)}
    assert "".join(sorted(used)) == stay
    given = [np.float32([1, 2, 3]), np.arange(12, dtype=np.float32).reshape(3, 4) / 9]
    for found, wanted in zip(*(Interpreter().run(each, given) for each in (after, program)), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(("count", "stored"), [(40, 0), (49, 0), (50, 1), (99, 1), (100, 2)])
def test_expressions_of_a_chain_are_of_bounded_depth(count: int, stored: int) -> None:
    """Each 50th value is stored."""
    buffers = "".join(f"scratch t{k}: 3xf32\n" for k in range(count))
    chain = "".join(nest(f"t{k}[i]", f"negate(load {f't{k - 1}' if k else 'x'}[i])") for k in range(count))
    text = f"input x: 3xf32\noutput y: 3xf32\n{buffers}{chain}" + nest("y[i]", f"load t{count - 1}[i]")
    after = inline(parse(text))
    assert len(after.in_space("scratch")) == stored
    (found,) = Interpreter().run(after, [np.float32([1, 2, 3])])
    np.testing.assert_array_equal(found, np.float32([1, 2, 3]) * (-1) ** count)


@pytest.mark.parametrize(("op", "stored"), [("add", 0), ("maximum", 1)])
def test_factors_of_products_are_computed_where_they_are_packed(op: str, stored: int) -> None:
    text = f"""
input x: 16x16xf32
output y: 16x16xf32
scratch e: 16x16xf32
parallel i in 0..16 {{ parallel j in 0..16 {{ store e[i, j] = sine(load x[i, j]) }} }}
parallel i in 0..16 {{
  parallel j in 0..16 {{
    s = reduce({op}, f32(0.0)) k in 0..16 {{ (load e[i, k] * load x[k, j]) }}
    store y[i, j] = s
  }}
}}
"""
    assert len(inline(parse(text)).in_space("scratch")) == stored
