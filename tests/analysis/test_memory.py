"""Live memory by hand: loops, calls, shared memory, and what is live at the peak."""

from __future__ import annotations

import stablehlo_py as shlo
from stablehlo_py.analysis.memory import Memory

# x has 16 bytes, n has 4.
LOOP = """func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %a = stablehlo.negate %x : tensor<4xf32>
  %0:2 = stablehlo.while(%c = %a, %i = %n) : tensor<4xf32>, tensor<i32>
  cond {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %d = func.call @twice(%c) : (tensor<4xf32>) -> tensor<4xf32>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %d, %j : tensor<4xf32>, tensor<i32>
  }
  %b = stablehlo.abs %0#0 : tensor<4xf32>
  return %b : tensor<4xf32>
}
func.func private @twice(%y: tensor<4xf32>) -> tensor<4xf32> {
  %s = stablehlo.sine %y : tensor<4xf32>
  %r = stablehlo.reshape %s : (tensor<4xf32>) -> tensor<2x2xf32>
  %q = stablehlo.reshape %r : (tensor<2x2xf32>) -> tensor<4xf32>
  %t = stablehlo.add %q, %y : tensor<4xf32>
  return %t : tensor<4xf32>
}
"""
STEPS = [
    ("stablehlo.negate", 2, 20 + 16),  # x, n, a
    ("stablehlo.constant", 5, 36 + 4),  # the loop carries a and n
    ("stablehlo.compare", 6, 36 + 4 + 1),
    ("stablehlo.return", 7, 36 + 1),
    ("stablehlo.constant", 9, 36 + 4),
    ("stablehlo.sine", 18, 36 + 4 + 16),
    ("stablehlo.reshape", 19, 36 + 4 + 16),  # has the memory of its operand
    ("stablehlo.reshape", 20, 36 + 4 + 16),
    ("stablehlo.add", 21, 36 + 4 + 16 + 16),
    ("func.return", 22, 36 + 4 + 16),
    ("func.call", 10, 36 + 4 + 16),
    ("stablehlo.subtract", 11, 36 + 4 + 16 + 4),
    ("stablehlo.return", 12, 36 + 16 + 4),
    ("stablehlo.while", 3, 36),
    ("stablehlo.abs", 14, 36 + 16),
    ("func.return", 15, 20 + 16),
]


def test_every_step_of_loops_and_calls() -> None:
    found = Memory(shlo.parse(LOOP)).timeline("main")
    assert [(step.op.name, step.line, step.size) for step in found.steps] == STEPS
    assert [(str(each.value), each.line, each.size) for each in found.live] == [
        ("%x", 0, 16), ("%a", 2, 16), ("%n", 0, 4),
    ]  # fmt: skip


def test_peaks() -> None:
    memory = Memory(shlo.parse(LOOP))
    assert memory.peak("twice") == 16 + 16 + 16
    assert memory.peak("main") == max(size for *_, size in STEPS) == 72


def test_plain_data() -> None:
    found = Memory(shlo.parse(LOOP)).timeline("main").to_dict()
    assert found["steps"][8] == {"op": "stablehlo.add", "line": 21, "bytes": 72}
    assert found["live"][1] == {"value": "%a", "type": "tensor<4xf32>", "line": 2, "bytes": 16}


def test_a_function_without_a_body_needs_no_memory() -> None:
    memory = Memory(shlo.parse("func.func private @f(tensor<4xf32>)"))
    assert (memory.peak("f"), memory.timeline("f").steps) == (0, ())


def test_a_function_that_calls_itself() -> None:
    memory = Memory(
        shlo.parse("""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}""")
    )
    assert memory.peak("main") == 32
    assert [step.size for step in memory.timeline("main").steps] == [32, 32]


def test_operands_are_live_while_an_op_runs() -> None:
    """The first of two peaks: b is computed from a."""
    found = Memory(
        shlo.parse("""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.sine %x : tensor<4xf32>
  %b = stablehlo.cosine %a : tensor<4xf32>
  %c = stablehlo.add %b, %b : tensor<4xf32>
  return %c : tensor<4xf32>
}""")
    ).timeline("main")
    assert [step.size for step in found.steps] == [32, 48, 48, 32]
    assert found.peak is not None and found.peak.line == 3
    assert [str(each.value) for each in found.live] == ["%x", "%a", "%b"]


def test_functions_on_elements_need_more_than_a_small_result() -> None:
    """Beside 16 bytes of x and 4 of z: three intermediate numbers, of which the function ends with two."""
    memory = Memory(
        shlo.parse("""func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %s = stablehlo.sine %a : tensor<f32>
    %c = stablehlo.cosine %b : tensor<f32>
    %m = stablehlo.multiply %s, %c : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }
  return %0 : tensor<f32>
}""")
    )
    assert [step.size for step in memory.timeline("main").steps] == [20 + 12, 20 + 4]
    assert memory.peak("main") == 32


def test_what_a_region_captures_is_live_until_its_op_is_done() -> None:
    memory = Memory(
        shlo.parse("""func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.sine %x : tensor<4xf32>
  %b = stablehlo.cosine %x : tensor<4xf32>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    %c = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %c : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %d = stablehlo.add %0, %b : tensor<4xf32>
  return %d : tensor<4xf32>
}""")
    )
    # a and b are live in both branches, and a no longer after them.
    assert [(step.line, step.size) for step in memory.timeline("main").steps] == [
        (2, 17 + 16), (3, 17 + 32), (5, 17 + 32), (7, 17 + 48), (8, 17 + 48), (4, 17 + 48), (10, 17 + 48),
        (11, 17 + 16),
    ]  # fmt: skip
    assert memory.peak("main") == 17 + 48
