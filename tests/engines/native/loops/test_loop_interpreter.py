"""The interpreter of loop IR: results by hand, and each kind of fault that it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from stablehlo_py.engines.native.loop_ir.text import text_of
from stablehlo_py.engines.native.loop_ir.verify import verify
from tests.helpers.loop_interpreter import Interpreter, LoopError
from tests.helpers.loop_parser import parse

HISTOGRAM = """
input x: 6xi32
output counts: 4xi32
frame n: 4xi32
for k in 0..4 {
  store counts[k] = i32(0)
}
for i in 0..6 {
  store counts[clamp(load x[i], 4)] = (load counts[clamp(load x[i], 4)] + i32(1))
}
"""


def run(text: str, *arrays: Any) -> list[Any]:
    return Interpreter().run(parse(text), [np.asarray(array) for array in arrays])


def test_loops_in_order_update_elements() -> None:
    (counts,) = run(HISTOGRAM, np.array([0, 1, 1, 3, 9, -5], np.int32))
    assert counts.tolist() == [2, 2, 0, 2]
    assert not verify(parse(HISTOGRAM))


def test_folds_combine_several_values() -> None:
    text = """
input x: 2x3xf32
output high: 2xf32
output place: 2xi32
parallel i in 0..2 {
  h, p = fold(f32(-inf), i32(0)) j in 0..3 {
    maximum(h, load x[i, j]);
    select(compare(load x[i, j], h, compare_type=FLOAT, comparison_direction=GT: i1),
           convert(index(j): i32), p: i32)
  }
  store high[i] = h
  store place[i] = p
}
"""
    high, place = run(text, np.array([[1, 5, 5], [7, 2, 8]], np.float32))
    assert high.tolist() == [5, 8] and place.tolist() == [1, 2]


def test_branches_and_bounds_that_are_computed() -> None:
    text = """
input n: i64
output y: 5xi32
parallel i in 0..5 {
  store y[i] = i32(0)
}
for i in 1..clamp(load n[], 6) of 5 {
  if compare(load y[i - 1], i32(2), compare_type=SIGNED, comparison_direction=LT: i1) {
    store y[i] = (load y[i - 1] + i32(1))
  } else {
    store y[i] = i32(7)
  }
}
"""
    (found,) = run(text, np.array(4))
    assert found.tolist() == [0, 1, 2, 7, 0]


def test_while_runs_until_its_condition_fails() -> None:
    text = """
input x: i32
output y: i32
store y[] = load x[]
while {
  let more = compare(load y[], i32(50), compare_type=SIGNED, comparison_direction=LT: i1)
} more {
  store y[] = (load y[] * i32(3))
}
"""
    (found,) = run(text, np.int32(5))
    assert found == 135


def test_a_choice_evaluates_one_side() -> None:
    text = """
input x: 2xf32
output y: 4xf32
parallel i in 0..4 {
  store y[i] = (load x[i - 1] if i >= 1 and -i >= -2 else f32(9.0))
}
"""
    (found,) = run(text, np.array([1, 2], np.float32))
    assert found.tolist() == [9, 1, 2, 9]
    assert not verify(parse(text))


def test_functions_from_outside_take_and_give_whole_buffers() -> None:
    text = """
    input x: 2xf32
    output y: 2xf32
    output z: 2xf32
    parallel i in 0..2 { store z[i] = (load x[i] + f32(1.0)) }
    call 1 (z, x) to (y, z)
    """
    program = parse(text)
    assert not verify(program)
    assert parse(text_of(program)) == program
    functions = [lambda: (), lambda a, b: (a - b, a * b)]
    y, z = Interpreter(functions).run(program, [np.array([3, 5], np.float32)])
    assert (y.tolist(), z.tolist()) == ([1, 1], [12, 30])


FAULTS = {
    "was never written": """
output y: 3xf32
scratch t: 3xf32
parallel i in 0..2 { store t[i] = f32(1.0) }
parallel i in 0..3 { store y[i] = load t[i] }
""",
    "is returned and was never written": "output y: 3xf32 parallel i in 0..2 { store y[i] = f32(1.0) }",
    "out of bounds": """
input x: 3xf32
output y: 3xf32
parallel i in 0..3 { store y[i] = load x[i + 1] }
""",
    "two iterations write one element": """
output y: 3xf32
parallel i in 0..3 { store y[0] = f32(1.0) }
""",
    "two parallel iterations write one element": """
output y: 2xf32
parallel i in 0..2 {
  store y[i] = f32(1.0)
  store y[-i + 1] = f32(2.0)
}
""",
    "reads what a parallel one has written": """
output y: 4xf32
parallel i in 0..4 { store y[i] = f32(1.0) }
parallel i in 0..3 {
  store y[i] = f32(2.0)
  store y[i] = load y[i + 1]
}
""",
    "is written": "input x: 2xf32 parallel i in 0..2 { store x[i] = f32(1.0) }",
    "is taken by a function and was never written": """
output y: 3xf32
scratch t: 3xf32
parallel i in 0..2 { store t[i] = f32(1.0) }
call 0 (t) to (y)
""",
    "at the same time": """
input x: 3xf32
output y: 3xf32
parallel i in 0..3 { call 0 (x) to (y) }
""",
    "x: 3xf32 is written": "input x: 3xf32 call 0 () to (x)",
    "within": """
input n: i32
output y: 3xf32
parallel i in 0..3 { store y[i] = f32(0.0) }
store y[within(load n[], 3)] = f32(1.0)
""",
}


@pytest.mark.parametrize("message", FAULTS)
def test_faults_are_found(message: str) -> None:
    program = parse(FAULTS[message])
    arrays = [
        np.full(buffer.shape, 7, np.float32 if "f32" in str(buffer) else np.int32)
        for buffer in program.in_space("input")
    ]
    with pytest.raises(LoopError, match=message):
        Interpreter([lambda *_: (np.zeros(3, np.float32),)]).run(program, arrays)


@pytest.mark.parametrize("message", [m for m in FAULTS if m != "within"])
def test_the_verifier_finds_them_without_running(message: str) -> None:
    assert [each for each in verify(parse(FAULTS[message])) if not each.unknown]
