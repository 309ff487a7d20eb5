"""Copy coalescing: copies go where a buffer and its copy never differ while both are read."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import region_of, run_code

from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.engines.native.schedule.coalesce import coalesce
from stablehlo_py.engines.native.schedule.pipeline import scheduled
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.loop_parser import parse
from tests.helpers.native import counted

UPDATE = """%none = stablehlo.constant dense<0> : tensor<i32>
      %new = stablehlo.dynamic_update_slice %p, %v, %i, %none
        : (tensor<6x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>"""
ROWS = f"""
func.func @main(%x: tensor<6x5xf32>, %v: tensor<1x5xf32>) -> (tensor<i32>, tensor<6x5xf32>) {{
  {counted("6", {"p": ("tensor<6x5xf32>", "%x", "%new")}, UPDATE)}
  return %r#0, %r#1 : tensor<i32>, tensor<6x5xf32>
}}"""


def test_an_array_that_a_loop_carries_is_updated_in_place() -> None:
    region = region_of(ROWS)
    lowered = lower(region)
    stages = dict(scheduled(lowered.program))
    text = text_of(stages["coalesce"])
    assert "scratch v" in text and "6x5xf32" not in [
        line.split(": ")[1] for line in text.splitlines() if line.startswith("scratch")
    ]
    x, v = np.arange(30, dtype=np.float32).reshape(6, 5), np.full((1, 5), 7, np.float32)
    for name, program in stages.items():
        assert not verify(program), name
        for run in (Interpreter().run, run_code) if name == "name" else (Interpreter().run,):
            count, y = run(program, [x, v, *lowered.constants])
            assert count == 6 and (y == 7).all(), name


def coalesced(text: str) -> tuple[str, list[float]]:
    """The text of a program after coalescing, and its only output for `x` = 1, 2, 3."""
    program = parse(text)
    assert not verify(program)
    x = np.float32([1, 2, 3])
    after = coalesce(program)
    assert not verify(after)
    (wanted,), (found,) = Interpreter().run(program, [x]), Interpreter().run(after, [x])
    np.testing.assert_array_equal(found, wanted)
    return text_of(after), found.tolist()


HEAD = """
input x: 3xf32
output y: 3xf32
scratch a: 3xf32
scratch b: 3xf32
"""


def nest(target: str, value: str, kind: str = "parallel") -> str:
    """A loop over three elements."""
    return f"{kind} i in 0..3 {{\n  store {target} = {value}\n}}\n"


def test_an_array_of_the_caller_that_is_only_copied_is_read_itself() -> None:
    text, found = coalesced(HEAD + nest("a[i]", "load x[i]") + nest("y[i]", "(load a[i] + f32(1.0))"))
    assert "scratch a" not in text and found == [2, 3, 4]
    text, _ = coalesced(
        HEAD + nest("a[i]", "load x[i]") + "store a[0] = f32(0.0)\n" + nest("y[i]", "load a[i]")
    )
    assert "store x" not in text


MORE = """
input x: 3xf32
output y: 3xf32
scratch a: 3xf32
scratch b: 3xf32
scratch c: 3xf32
scratch d: 3xi32
scratch e: 2xf32
"""
A, B, Y = nest("a[i]", "(load x[i] + f32(1.0))"), nest("b[i]", "load a[i]"), nest("y[i]", "load b[i]")
TEST = "compare(load a[0], f32({}), compare_type=FLOAT, comparison_direction=LT: i1)"
GROWN, TURNED = nest("a[i]", "(load b[i] + load x[i])"), nest("a[i]", "(load b[-i + 2] + load x[i])")
C, BOTH = nest("c[i]", "load a[i]"), nest("y[i]", "(load b[i] + load c[i])")
PART = "parallel i in 0..2 { store b[i] = load a[i] }\nstore b[2] = f32(1.0)\n"


@pytest.mark.parametrize(
    ("text", "left", "stores"),
    [
        (A + B + Y, "y", 1),  # a chain of copies ends in memory of the caller
        (nest("a[i]", "load x[i]") + B + Y, "y", 1),  # which has to be another one than the argument's
        (A + nest("b[i]", "load a[-i + 2]") + Y, "ay", 2),  # no copy: another order
        (A + nest("b[i]", "(load a[i] + f32(0.0))") + Y, "ay", 2),  # or another value
        (A + PART + Y, "ay", 3),  # or a part
        (A + nest("d[i]", "convert(load a[i]: i32)") + nest("y[i]", "convert(load d[i]: f32)"), "ady", 3),
        (A + B + C + BOTH, "bcy", 3),  # the second copy is not of the first one
        (A + B + "store b[0] = f32(5.0)\n" + C + BOTH, "bcy", 4),
        (A + B + nest("a[i]", "f32(5.0)") + nest("y[i]", "(load a[i] * load b[i])"), "aby", 4),
        (A + B + nest("a[i]", "load b[-i + 2]") + nest("y[i]", "load a[i]"), "by", 3),
        (A + B + "for k in 0..2 { store b[0] = (load a[0] + f32(1.0)) }\n" + Y, "ay", 3),
        # branches, of which one changes the copy
        (A + B + f"if {TEST.format('9.0')} {{ store b[1] = f32(7.0) }} else {{ }}\n" + Y, "y", 2),
        (A + B + f"if {TEST.format('9.0')} {{ store b[1] = f32(7.0) }} else {{ }}\n"
         + nest("y[i]", "(load a[i] + load b[i])"), "aby", 4),
        (A + f"if {TEST.format('9.0')} {{\n{B}}} else {{\n{nest('b[i]', 'f32(2.0)')}}}\n" + Y, "y", 2),
        # loops: the copy carries the values of an iteration to the next
        (A + B + f"while {{ }} {TEST.format('9.0')} {{\n{GROWN}{B}}}\n" + Y, "y", 2),
        (A + B + f"while {{ }} {TEST.format('9.0')} {{\n{TURNED}{B}}}\n" + Y, "ay", 4),
        # the copy is read behind a loop without iterations, and by the test of the next iteration
        (A + B + nest("a[i]", "f32(5.0)") + f"while {{ }} {TEST.format('0.0')} {{\n".replace("a[0]", "x[0]")
         + nest("b[i]", "(load x[i] * load x[i])") + "}\n" + Y, "ay", 4),
        (A + B + f"while {{\n{nest('c[i]', '(load b[i] * load x[i])')}}} {TEST.format('4.0')} {{\n"
         + nest("a[i]", "f32(5.0)") + "}\n" + nest("y[i]", "load c[i]"), "aby", 4),
        # the next iteration reads the copy
        (A + B + f"while {{ }} {TEST.format('9.0')} {{\n" + nest("c[i]", "(load b[i] * load x[i])")
         + nest("a[i]", "(load a[i] + load c[i])") + "}\n" + nest("y[i]", "load a[i]"), "bcy", 4),
        # one branch reads the copy, the other one the original
        (A + B + nest("a[i]", "f32(5.0)") + f"if {TEST.format('0.0')} {{\n{nest('y[i]', 'load a[i]')}}} else "
         + f"{{\n{Y}}}\n", "by", 4),
        # a copy of the first elements
        (A + "parallel i in 0..2 { store e[i] = load a[i] }\n" + nest("y[i]", "(load a[i] + load e[0])"),
         "aey", 3),
        # stores in place: of the element that is read, each once
        (A + B + nest("b[i]", "(load a[i] * load x[i])") + Y, "y", 2),
        (A + B + nest("b[i]", "(load a[-i + 2] * load x[i])") + Y, "ay", 3),
        (A + B + nest("b[i]", "(load a[i] * load x[i])", "for") + Y, "ay", 3),
        # which another statement reads behind the store
        (A + B + "parallel i in 0..3 { store b[i] = (load a[i] * load x[i]) store c[i] = sine(load a[i]) }\n"
         + BOTH, "abcy", 5),
    ],
)  # fmt: skip
def test_memory_of_copies(text: str, left: str, stores: int) -> None:
    after, _ = coalesced(MORE + text)
    assert "".join(each for each in "abcdey" if f"store {each}[" in after) == left
    assert after.count("store ") == stores


def test_outputs_that_are_copies_of_each_other_stay() -> None:
    program = parse(HEAD + "output z: 3xf32\n" + A + nest("y[i]", "load a[i]") + nest("z[i]", "load y[i]"))
    after = coalesce(program)
    assert [each.name for each in after.in_space("output")] == ["y", "z"]
    for found in Interpreter().run(after, [np.float32([1, 2, 3])]):
        assert found.tolist() == [2, 3, 4]
