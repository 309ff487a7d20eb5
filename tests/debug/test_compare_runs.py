"""Comparison of runs: the op that is changed is found, whatever the ops after it inherit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare_arrays import Tolerance
from stablehlo_py.engines.numpy.engine import ENGINE
from stablehlo_py.kernels.grid.process import current

CHAIN = """func.func private @normalized(%x: tensor<4xf32>) -> tensor<4xf32> {
  %cst = stablehlo.constant dense<9.99999974E-6> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  %1 = stablehlo.add %0, %cst : tensor<4xf32>
  %2 = stablehlo.rsqrt %1 : tensor<4xf32> loc("norm/rsqrt"("model.py":31:5))
  %3 = stablehlo.multiply %x, %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = call @normalized(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.sine %1 : tensor<4xf32>
  %3 = call @normalized(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.exponential %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}"""
X = np.array([0.5, -1.0, 2.0, 0.25], np.float32)

# x <- x / 2 + 1, eight times
LOOP = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<8> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<2xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.multiply %a, %half : tensor<2xf32>
    %c = stablehlo.add %b, %ones : tensor<2xf32>
    %d = stablehlo.maximum %c, %ones : tensor<2xf32>
    stablehlo.return %next, %d : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}"""


def changed(text: str, old: str, new: str) -> shlo.Module:
    assert text.count(old) == 1
    module = shlo.parse(text.replace(old, new), "b.mlir")
    assert not shlo.verify(module)
    return module


@pytest.mark.parametrize(
    ("old", "new", "line", "detail"),
    [
        ("stablehlo.rsqrt %1", "stablehlo.sqrt %1", 5, "op: from stablehlo.rsqrt to stablehlo.sqrt"),
        ("dense<9.99999974E-6>", "dense<1.1E-5>", 2, "value: from dense<9.99999974E-6>"),
        ("multiply %x, %2", "multiply %1, %2", 6, "operand 0: from"),
        ("sine %1", "sine %0", 12, "operand 0: from"),
    ],
)
def test_a_changed_op_of_a_function_that_is_called_twice(old: str, new: str, line: int, detail: str) -> None:
    found = shlo.compare(shlo.parse(CHAIN, "a.mlir"), changed(CHAIN, old, new), [X])
    assert not found.ok and found.first is not None
    assert (found.first.line, found.first.other_line) == (line, line)
    assert detail in "\n".join(found.first.details)
    assert all(value.comparison is None for value in found.first.operands)


def test_errors_of_the_changed_op() -> None:
    found = shlo.compare(shlo.parse(CHAIN, "a.mlir"), changed(CHAIN, "rsqrt %1", "sqrt %1"), [X])
    assert found.first is not None
    (error,) = found.first.results
    assert error.comparison is not None
    squares = np.exp(X.astype(np.float64)) ** 2 + 1e-5
    worst = int(np.argmax(np.abs(squares**-0.5 - squares**0.5) / squares**0.5))
    assert error.worst[0][0] == (worst,) and error.comparison.wrong == 4
    assert error.comparison.max_rel == pytest.approx(
        np.max(np.abs(squares**-0.5 / squares**0.5 - 1)), rel=1e-5
    )
    assert found.first.origin == ("from model.py:31:5 (norm/rsqrt)",)
    assert not found.others  # what comes after inherits its error, and the second call is the same op


def test_errors_that_the_operands_of_the_changed_op_have() -> None:
    """The logistic of 4 is 0.982, its hyperbolic tangent 0.9993, within tolerance; %x is the same."""
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.logistic %x : tensor<2xf32>
      %1 = stablehlo.multiply %0, %x : tensor<2xf32>
      return %1 : tensor<2xf32>
    }"""
    other = shlo.parse(text.replace("multiply", "subtract").replace("logistic", "tanh"))
    x = np.array([4, 8], np.float32)
    found = shlo.compare(shlo.parse(text), other, [x], tolerance=Tolerance(rtol=0.1))
    assert found.first is not None and found.first.op == "stablehlo.multiply"
    changed_, same = found.first.operands
    assert changed_.comparison is not None and same.comparison is None
    assert (changed_.name, same.name, changed_.comparison.index) == ("%0", "%x", (0,))
    error = math.tanh(4) - 1 / (1 + math.exp(-4))
    assert changed_.comparison.max_abs == pytest.approx(error, rel=1e-4)


def test_equal_programs() -> None:
    found = shlo.compare(shlo.parse(CHAIN), shlo.parse(CHAIN), [X])
    assert found.ok and found.first is None and found.ops == 11 and not found.changes


def test_a_change_without_effect_is_named() -> None:
    other = changed(LOOP, "compare LT", "compare NE")
    found = shlo.compare(shlo.parse(LOOP), other, [np.array([4, -3], np.float32)])
    assert found.ok and found.first is None
    assert found.changes == ["line 9: comparison_direction: from #stablehlo<comparison_direction LT> to "
                             "#stablehlo<comparison_direction NE>"]  # fmt: skip


def test_the_iteration_of_a_loop() -> None:
    """%c is at least 1 but in the first iteration, for x = -3: -3 / 2 + 1 = -0.5."""
    other = changed(LOOP, "maximum %c, %ones", "maximum %c, %b")
    found = shlo.compare(shlo.parse(LOOP), other, [np.array([4, -3], np.float32)])
    assert found.first is not None and (found.first.line, found.first.iterations) == (15, (0,))
    again = changed(LOOP, "compare LT", "compare LE")
    found = shlo.compare(shlo.parse(LOOP), again, [np.array([4, 3], np.float32)])
    assert found.first is not None and (found.first.line, found.first.iterations) == (9, (8,))


def test_amplification_is_not_a_cause() -> None:
    """A difference of 1e-6 in a constant is within tolerance; x - 1 makes it as large as the value."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %cst = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.add %x, %cst : tensor<f32>
  %1 = stablehlo.subtract %0, %cst : tensor<f32>
  return %1 : tensor<f32>
}"""
    noisy = (
        text.replace("add %x, %cst", "add %cst, %x")
        .replace("%0, %cst", "%0, %one")
        .replace("  %0", "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n  %0", 1)
    )
    found = shlo.compare(shlo.parse(text), shlo.parse(noisy), [np.float32(1e-6)])
    assert found.ok


def test_optimized_program() -> None:
    """Inlined, with one constant for two: what is left is matched, and the fault found."""
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = stablehlo.exponential %x : tensor<4xf32>
  %q = stablehlo.multiply %e, %e : tensor<4xf32>
  %cst = stablehlo.constant dense<9.99999974E-6> : tensor<4xf32>
  %a = stablehlo.add %q, %cst : tensor<4xf32>
  %r = stablehlo.rsqrt %a : tensor<4xf32>
  %n = stablehlo.multiply %e, %r : tensor<4xf32>
  %s = stablehlo.sine %n : tensor<4xf32>
  %q2 = stablehlo.multiply %s, %s : tensor<4xf32>
  %a2 = stablehlo.add %q2, %cst : tensor<4xf32>
  %r2 = stablehlo.OP %a2 : tensor<4xf32>
  %n2 = stablehlo.multiply %s, %r2 : tensor<4xf32>
  %z = stablehlo.exponential %n2 : tensor<4xf32>
  return %z : tensor<4xf32>
}"""
    original = shlo.parse(CHAIN, "a.mlir")
    assert shlo.compare(original, shlo.parse(text.replace("OP", "rsqrt")), [X]).ok
    found = shlo.compare(original, shlo.parse(text.replace("OP", "sqrt")), [X])
    assert not found.ok and found.first is not None
    assert (found.first.line, found.first.other_line) in {(5, 11), (6, 12)}


class Faulty:
    """An engine whose `sine` is a cosine."""

    name = "faulty"
    takes = "module"
    change = ("stablehlo.sine", "stablehlo.cosine")

    def is_available(self) -> bool:
        return True

    def prepare(self, module: shlo.Module, entry: str, options: Any) -> Any:
        text = shlo.format(module).replace(*self.change)
        return _Executable(shlo.compile(shlo.parse(text), entry, engine="numpy"))


class _Executable:
    def __init__(self, program: Any) -> None:
        self.plan = program.plan
        self._program = program

    def __call__(self, *inputs: Any) -> list[Any]:
        return self._program(*inputs)


def test_an_engine_with_a_fault() -> None:
    found = shlo.compare(shlo.parse(CHAIN), None, [X], engine=Faulty())  # type: ignore[arg-type]
    assert not found.ok and found.first is not None and found.first.line == 12
    assert [found.first.op, len(found.others)] == ["stablehlo.sine", 0]
    assert shlo.compare(shlo.parse(LOOP), None, [np.array([4, 3], np.float32)], engine=Faulty()).ok  # type: ignore[arg-type]


def test_intermediates_in_upstreams_format(tmp_path: Path) -> None:
    """Probes are numbered over all results but those of constants, inner ops before the op around them."""
    x, rows = np.array([4, 3], np.float32), []
    state = x
    for iteration in range(8):
        half, name = state * np.float32(0.5), f"probe{len(rows) + 1}.npy"
        if iteration == 5:
            half = half + np.float32(0.25)
        np.save(tmp_path / name, half)
        rows.append(f"probe3,tensor<2xf32>,/elsewhere/{name}")
        state = half + 1
    (tmp_path / "index.csv").write_text("\n".join(rows) + "\n")
    found = shlo.compare(shlo.parse(LOOP), None, [x], against=tmp_path)
    assert found.first is not None and not found.ok
    assert (found.first.line, found.first.iterations) == (13, (5,))


def test_intermediates_by_name(tmp_path: Path) -> None:
    e = np.exp(X)
    np.savez(tmp_path / "values.npz", **{"main.0": e, "main.4": np.zeros(4, np.float32)})
    found = shlo.compare(shlo.parse(CHAIN), None, [X], against=tmp_path / "values.npz")
    assert found.first is not None and (found.first.line, found.ops) == (14, 2)


def test_tolerance_and_until() -> None:
    other = changed(CHAIN, "dense<9.99999974E-6>", "dense<1.1E-5>")
    module = shlo.parse(CHAIN)
    assert shlo.compare(module, other, [X], tolerance=Tolerance(rtol=0.2)).ok
    late = changed(CHAIN, "%4 = stablehlo.exponential", "%4 = stablehlo.tanh")
    assert shlo.compare(module, late, [X], until="12").first is None
    with pytest.raises(ValueError, match="no op with a result %nine"):
        shlo.compare(module, late, [X], until="%nine")


def test_a_failure_of_the_second_program() -> None:
    text = CHAIN.replace("return %4", "check.expect_eq_const %4, dense<0.0> : tensor<4xf32>\n  return %4")
    found = shlo.compare(shlo.parse(CHAIN), shlo.parse(text, "b.mlir"), [X])
    assert not found.ok and str(found.error).startswith("b.mlir:15:3")


class WholeProgram(Faulty):
    """An engine that is wrong about programs with calls only, as after a wrong fusion."""

    change = ("stablehlo.rsqrt", "stablehlo.sqrt")

    def prepare(self, module: shlo.Module, entry: str, options: Any) -> Any:
        if len(module.functions) > 1:  # parts have no calls
            return super().prepare(module, entry, options)
        return _Executable(shlo.compile(module, entry, engine="numpy"))


def test_a_fault_of_the_whole_program() -> None:
    found = shlo.compare(shlo.parse(CHAIN), None, [X], engine=WholeProgram())  # type: ignore[arg-type]
    assert found.first is None and not found.ok
    assert [value.ok for value in found.results] == [False]
    assert "the engine makes of the whole" in found.notes[-1]


GRID = """module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %id = stablehlo.replica_id : tensor<ui32>
    %f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %y = stablehlo.add %x, %b : tensor<4xf32>
    %0 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}"""


def test_a_grid_of_processes() -> None:
    module = shlo.parse(GRID)
    found = shlo.compare(module, shlo.parse(GRID), [X])
    assert found.ok and (found.ops, found.unmatched) == (10, 0)
    found = shlo.compare(module, changed(GRID, "add %p, %q", "multiply %p, %q"), [X])
    assert found.first is not None and found.first.line == 7
    assert found.first.details == ("region: from stablehlo.add to stablehlo.multiply",)


class WrongReplica:
    """An engine that adds 1 to the sums of replica 1."""

    name = "wrong"
    takes = "plan"

    def is_available(self) -> bool:
        return True

    def prepare(self, plan: Any, options: Any) -> Any:
        run = ENGINE.prepare(plan, options)

        def wrong(*inputs: Any) -> list[Any]:
            results = list(run(*inputs))
            if len(results) == 5 and current().replica == 1:  # the part returns what each of five ops gives
                results[3] = results[3] + np.float32(1)
            return results

        wrong.plan = plan  # type: ignore[attr-defined]
        return wrong


def test_engines_on_a_grid() -> None:
    """Each process has its inputs; the process is named, and each has results."""
    module = shlo.parse(GRID)
    inputs = {(0, 0): [X], (1, 0): [X + 1]}
    found = shlo.compare(module, None, inputs, engine=WrongReplica())  # type: ignore[arg-type]
    assert found.first is not None and not found.ok
    assert (found.first.op, found.first.line, found.first.process) == ("stablehlo.add", 6, (1, 0))
    found = shlo.compare(module, None, inputs, engine="auto")
    assert found.ok and found.ops == 10
    assert [value.name for value in found.results] == ["%0@0,0", "%0@1,0"]


def test_processes_that_branch_apart() -> None:
    text = """module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %id = stablehlo.replica_id : tensor<ui32>
    %is = stablehlo.convert %id : (tensor<ui32>) -> tensor<i1>
    %0 = "stablehlo.if"(%is) ({
      stablehlo.return %x : tensor<f32>
    }, {
      %1 = stablehlo.negate %x : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}"""
    with pytest.raises(shlo.RunError, match="take different branches"):
        found = shlo.compare(shlo.parse(text), None, [np.float32(1)], engine="auto")
        raise found.error or AssertionError("no error")


class Rounds(Faulty):
    """An engine that rounds where it should take the floor."""

    change = ("stablehlo.floor", "stablehlo.round_nearest_afz")


def test_the_iteration_of_a_loop_on_an_engine() -> None:
    """Sums of 0.3: floor and rounding differ from 0.6 on, in iteration 1."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<0.3> : tensor<f32>
  %n = stablehlo.constant dense<1.0> : tensor<f32>
  %r:2 = stablehlo.while(%s = %x, %f = %x) : tensor<f32>, tensor<f32>
  cond {
    %1 = stablehlo.compare LT, %s, %n : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %s, %c : tensor<f32>
    %2 = stablehlo.floor %1 : tensor<f32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<f32>
  }
  return %r#1 : tensor<f32>
}"""
    found = shlo.compare(shlo.parse(text), None, [np.float32(0)], engine=Rounds())  # type: ignore[arg-type]
    assert found.first is not None
    assert (found.first.op, found.first.iterations) == ("stablehlo.floor", (1,))


def test_resources_of_two_programs() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %w = stablehlo.constant dense_resource<w> : tensor<2xf32>
  %0 = stablehlo.multiply %x, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}}
{{-# dialect_resources: {{builtin: {{w: "0x04000000{}"}}}} #-}}"""
    first, second = ("0000803F00000040", "0000803F00004040")  # 1, 2 and 1, 3
    x = [np.ones(2, np.float32)]
    assert shlo.compare(shlo.parse(text.format(first)), shlo.parse(text.format(first)), x).ok
    found = shlo.compare(shlo.parse(text.format(first)), shlo.parse(text.format(second)), x)
    assert found.first is not None and found.first.line == 2 and not found.others
    assert found.first.results[0].worst == (((1,), "2.0", "3.0"),)


# Verdicts say what they cover ----------------------------------------------------------------------------

ADDED = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""


def test_unrelated_programs_are_judged_by_their_results() -> None:
    """x + x and the integer program of the same values: no op has a counterpart, the results are compared."""
    doubled = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %1 = stablehlo.reshape %0 : (tensor<8xf32>) -> tensor<2x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.FOLD across dimensions = [0]
    : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}"""
    found = shlo.compare(shlo.parse(ADDED), shlo.parse(doubled.replace("FOLD", "add")), [X])
    assert found.ok and (found.ops, found.unmatched, len(found.results)) == (0, 1, 1)
    assert (found.unmatched_lines, found.other_unmatched_lines) == ([2], [2, 3, 5])
    found = shlo.compare(shlo.parse(ADDED), shlo.parse(doubled.replace("FOLD", "maximum")), [X])
    assert not found.ok and found.first is None and not found.results[0].ok


def test_a_comparison_of_nothing_is_not_ok(tmp_path: Path) -> None:
    nothing = shlo.parse("func.func @main() {\n  return\n}")
    assert not shlo.compare(nothing, nothing).ok
    np.savez(tmp_path / "constant.npz", c=X)  # which is stated, not computed
    constant = ADDED.replace("  %0", "  %c = stablehlo.constant dense<1.0> : tensor<4xf32>\n  %0", 1)
    found = shlo.compare(shlo.parse(constant), None, [X], against=tmp_path / "constant.npz")
    assert not found.ok and not found.covers and found.first is None
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}"
    identity = shlo.parse(text)
    assert shlo.compare(identity, identity, [X]).ok


def test_arrays_without_a_value_are_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **{"main.0": X + X, "main.9": X})
    found = shlo.compare(shlo.parse(ADDED), None, [X], against=tmp_path / "a.npz")
    assert found.ok and found.ops == 1 and found.notes[-1].endswith("not named after a value: main.9")


@pytest.mark.parametrize(
    ("factor", "ok", "ops", "notes"),
    [("1.0000001", True, 3, []), ("1.5", False, 1, ["the rest of both programs is equal"])],
)
def test_a_small_difference_does_not_end_the_runs(factor: str, ok: bool, ops: int, notes: list[str]) -> None:
    """A constant differs; the product, and two exact ops, are the rest."""
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = stablehlo.constant dense<1.0> : tensor<4xf32>
  %r = stablehlo.multiply %x, %h : tensor<4xf32>
  %n = stablehlo.negate %r : tensor<4xf32>
  %a = stablehlo.abs %n : tensor<4xf32>
  return %a : tensor<4xf32>
}"""
    found = shlo.compare(shlo.parse(text), shlo.parse(text.replace("1.0>", f"{factor}>")), [X])
    assert found.first is not None and found.first.op == "stablehlo.constant"
    assert (found.ok, found.ops, found.notes) == (ok, ops, notes)


def test_rounding_explains_no_other_operand() -> None:
    """Both are numbers beside exp(x), from which the differences are one and two units in the last place."""
    text = """func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.exponential %x : tensor<4xf32>
  %r = stablehlo.subtract %a, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}"""
    near = np.nextafter(np.exp(X), np.float32(0))
    given = [X, near, np.nextafter(near, np.float32(0))]
    found = shlo.compare(shlo.parse(text), shlo.parse(text.replace("%a, %y", "%a, %z")), given)
    assert found.first is not None and not found.first.ok
    assert found.first.details == ("operand 1: from %y to %z (a different value)",)


def test_the_rest_is_equal_only_if_there_is_one() -> None:
    """The last op is wrong; and both programs differ in what they return only."""
    late = changed(CHAIN, "%4 = stablehlo.exponential", "%4 = stablehlo.tanh")
    found = shlo.compare(shlo.parse(CHAIN), late, [X])
    assert found.first is not None and found.first.line == 14 and not found.notes
    early = changed(CHAIN, "%0 = stablehlo.exponential", "%0 = stablehlo.tanh")
    assert shlo.compare(shlo.parse(CHAIN), early, [X]).notes == ["the rest of both programs is equal"]
    other = changed(CHAIN, "%2 = stablehlo.sine", "%2 = stablehlo.cosine")
    other = shlo.parse(shlo.format(other).replace("return %4", "return %3"))
    found = shlo.compare(shlo.parse(CHAIN), other, [X])
    assert found.first is not None and found.first.line == 12 and not found.notes


@pytest.mark.parametrize("op", ["subtract", "divide", "power", "atan2"])
def test_swapped_operands_are_the_finding(op: str) -> None:
    text = f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = stablehlo.logistic %x : tensor<4xf32>
  %2 = stablehlo.{op} %0, %1 : tensor<4xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<4xf32>
  %4 = stablehlo.tanh %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}}"""
    swapped = text.replace(f"{op} %0, %1", f"{op} %1, %0")
    longer = swapped.replace("  return", "  %9 = stablehlo.sine %4 : tensor<4xf32>\n  return")
    for other in (swapped, longer):
        found = shlo.compare(shlo.parse(text), shlo.parse(other), [X])
        assert found.first is not None and not found.ok and found.unmatched == 0
        assert (found.first.line, found.first.other_line) == (4, 4)
        assert found.first.details == ("the order of operands: from %0, %1 to %1, %0",)
    # An op that is inserted behind the swapped one hides it from what follows.
    inserted = longer.replace("multiply %2, %2", "multiply %8, %8")
    inserted = inserted.replace("  %3 =", "  %8 = stablehlo.abs %2 : tensor<4xf32>\n  %3 =")
    found = shlo.compare(shlo.parse(text), shlo.parse(inserted), [X])
    assert found.first is not None and (found.first.line, found.first.other_line) == (4, 4)
    assert found.first.details == ("the order of operands: from %0, %1 to %1, %0",)


def test_a_constant_is_the_finding_where_another_one_has_its_old_value() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %cst = stablehlo.constant dense<0.5> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %cst : tensor<4xf32>
  %cst_0 = stablehlo.constant dense<0.5> : tensor<4xf32>
  %1 = stablehlo.add %0, %cst_0 : tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}"""
    for name, line in (("%cst ", 2), ("%cst_0 ", 4)):
        start = f"{name}= stablehlo.constant dense<"
        found = shlo.compare(shlo.parse(text), changed(text, f"{start}0.5>", f"{start}2.0>"), [X])
        assert found.first is not None and (found.first.line, found.first.other_line) == (line, line)


def test_operands_of_a_commutative_op_in_another_order() -> None:
    swapped = changed(CHAIN, "add %0, %cst", "add %cst, %0")
    found = shlo.compare(shlo.parse(CHAIN), swapped, [X])
    assert found.ok and found.first is None and found.unmatched == 0
    assert found.changes == ["line 4: the order of operands: from %0, %cst to %cst, %0"] * 2


@pytest.mark.parametrize(("first", "second"), [(2, 1), (1, 2), (1, 0), (0, 1), (2, 0)])
def test_a_result_that_only_one_program_has_is_wrong(first: int, second: int) -> None:
    """All ops are equal, so that the numbers of results alone tell the programs apart."""

    def program(results: int) -> shlo.Module:
        types = ", ".join(["tensor<4xf32>"] * results)
        values = f" {', '.join(['%0', '%1'][:results])} : {types}" if results else ""
        return shlo.parse(f"""func.func @main(%x: tensor<4xf32>) -> ({types}) {{
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.cosine %x : tensor<4xf32>
  return{values}
}}""")

    found = shlo.compare(program(first), program(second), [X])
    only = "first" if first > second else "second"
    wrong = [(value.name, value.comparison.problem) for value in found.results if value.comparison]
    assert not found.ok
    assert wrong == [
        (f"result {n}", f"only the {only} program has a result {n}")
        for n in range(min(first, second), max(first, second))
    ]
    assert shlo.compare(program(first), program(first), [X]).ok


def test_errors_of_operands_are_those_of_the_operands() -> None:
    """The first operand of the wrong op has no counterpart; the other one is equal."""
    text = """func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %0 = stablehlo.concatenate %y, %y, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = stablehlo.exponential %x : tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}"""
    old = "%0 = stablehlo.concatenate %y, %y, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>"
    new = "%0 = stablehlo.pad %y, %z, low = [1], high = [1], interior = [0]"
    new += " : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>"
    zero = "%z = stablehlo.constant dense<0.0> : tensor<f32>"
    found = shlo.compare(shlo.parse(text), changed(text, old, f"{zero}\n  {new}"), [X, X[:2]])
    assert found.first is not None and found.first.line == 4
    assert found.first.details == (
        "operand 0: %0 and %0 come from ops without a counterpart: line 2 here, lines 2-3 there",
    )
    assert [value.name for value in found.first.operands] == ["%1"]
    assert found.first.operands[0].comparison is None


# Programs of different precision -------------------------------------------------------------------------

MODEL = """func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<8x16xf32>
  %c = stablehlo.constant dense<0.1> : tensor<f32>
  %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<8x16xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %6 = stablehlo.divide %3, %5 : tensor<8x16xf32>
  return %6 : tensor<8x16xf32>
}"""
# The same in a narrow type, as JAX exports it: sums in f32 between conversions.
NARROW = """func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xT> {
  %x16 = stablehlo.convert %x : (tensor<8x16xf32>) -> tensor<8x16xT>
  %w16 = stablehlo.convert %w : (tensor<16x16xf32>) -> tensor<16x16xT>
  %0 = stablehlo.dot_general %x16, %w16, contracting_dims = [1] x [0]
    : (tensor<8x16xT>, tensor<16x16xT>) -> tensor<8x16xT>
  %1 = stablehlo.tanh %0 : tensor<8x16xT>
  %c = stablehlo.constant dense<0.1> : tensor<T>
  %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<T>) -> tensor<8x16xT>
  %3 = stablehlo.subtract %1, %2 : tensor<8x16xT>
  %wide = stablehlo.convert %3 : (tensor<8x16xT>) -> tensor<8x16xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%wide init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %sum = stablehlo.convert %4 : (tensor<8xf32>) -> tensor<8xT>
  %5 = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<8xT>) -> tensor<8x16xT>
  %6 = stablehlo.divide %3, %5 : tensor<8x16xT>
  return %6 : tensor<8x16xT>
}"""


def weights(scale: float = 1.0) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
    generator = np.random.default_rng(0)
    return [np.float32(scale) * generator.standard_normal(shape, np.float32) for shape in ((8, 16), (16, 16))]


@pytest.mark.parametrize("narrow", ["bf16", "f16", "f64"])
@pytest.mark.parametrize("is_first", [False, True])
def test_rounding_to_a_narrower_type_is_no_error(narrow: str, is_first: bool) -> None:
    programs = [shlo.parse(MODEL), shlo.parse(NARROW.replace("T>", f"{narrow}>"))]
    first, second = programs[::-1] if is_first else programs
    found = shlo.compare(first, second, weights())
    assert found.ok and found.error is None
    assert (found.ops, found.unmatched) == (7, 0)
    assert not found.unmatched_lines and not found.other_unmatched_lines
    assert any("different float types" in note for note in found.notes)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("stablehlo.tanh %0", "stablehlo.logistic %0", 4),
        ("dense<0.1> : tensor<T>", "dense<0.2> : tensor<T>", 5),
        ("subtract %1, %2", "subtract %2, %1", 7),
        ("%6 = stablehlo.divide %3, %5", "%6 = stablehlo.multiply %3, %5", 12),
    ],
)
@pytest.mark.parametrize("narrow", ["bf16", "f16"])
def test_an_error_that_rounding_does_not_explain(narrow: str, old: str, new: str, line: int) -> None:
    text, old, new = [each.replace("T>", f"{narrow}>") for each in (NARROW, old, new)]
    other = changed(text, old, new)
    found = shlo.compare(shlo.parse(MODEL), other, weights())
    wrong = 0 if found.first is None or found.first.ok else found.first.line
    assert wrong == line


def test_an_overflow_of_the_narrower_type_is_an_error() -> None:
    """Products of numbers around 300 are around 300,000, and the largest f16 is 65,504."""
    other = shlo.parse(NARROW.replace("T>", "f16>"))
    found = shlo.compare(shlo.parse(MODEL), other, weights(300))
    assert found.first is not None and not found.ok and found.first.line == 2
    other = shlo.parse(NARROW.replace("T>", "bf16>"))
    assert shlo.compare(shlo.parse(MODEL), other, weights(300)).first is not None


ONE = """func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %c = stablehlo.constant dense<100> : tensor<2xi32>
  %a = stablehlo.add %x, %c : tensor<2xi32>
  %r = stablehlo.remainder %y, %a : tensor<2xi32>
  %s = stablehlo.multiply %a, %a : tensor<2xi32>
  return %s, %r : tensor<2xi32>, tensor<2xi32>
}"""
COPIES = """func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %c = stablehlo.constant dense<100> : tensor<2xi32>
  %a = stablehlo.add %x, %c : tensor<2xi32>
  %s = stablehlo.multiply %a, %a : tensor<2xi32>
  %d = stablehlo.constant dense<101> : tensor<2xi32>
  %b = stablehlo.add %x, %d : tensor<2xi32>
  %r = stablehlo.remainder %y, %b : tensor<2xi32>
  return %s, %r : tensor<2xi32>, tensor<2xi32>
}"""


def test_a_copy_of_an_op_that_another_program_has_once() -> None:
    """As fusions have: the constant of one copy is wrong, the other copy has the only counterpart."""
    one, two = shlo.parse(ONE), shlo.parse(COPIES)
    found = shlo.compare(two, one, [np.array([1, 2], np.int32), np.array([700, 900], np.int32)])
    assert found.first is not None and (found.first.line, found.first.other_line) == (5, 2)
    assert found.first.details[0].startswith("value: from dense<101>") and not found.unmatched_lines


REGION = """func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.or %p, %q : tensor<i1>
    %t = stablehlo.select %s, %a, %b : tensor<i1>, tensor<f32>
    stablehlo.return %t : tensor<f32>
  }
  return %1 : tensor<f32>
}"""
PQ = REGION.splitlines()[4:6]


@pytest.mark.parametrize(
    ("old", "new", "details"),
    [
        (
            "\n".join(PQ),
            "\n".join(PQ[::-1]).replace("GT", "LE"),
            "region: stablehlo.compare: comparison_direction",
        ),
        (
            "GT",
            "LT",
            "region: stablehlo.compare: comparison_direction: from #stablehlo<comparison_direction GT> "
            "to #stablehlo<comparison_direction LT>",
        ),
        ("\n".join(PQ), "\n".join(PQ[::-1]), "region: the same ops in another order, or on other operands"),
        ("stablehlo.or %p", "stablehlo.and %p", "region: from stablehlo.or to stablehlo.and"),
    ],
)
def test_regions_differ_apart_from_the_order_of_ops(old: str, new: str, details: str) -> None:
    module = shlo.parse(REGION)
    found = shlo.compare(module, changed(REGION, old, new), [np.array([1.0, -2.0, 3.0], np.float32)])
    (detail,) = found.first.details if found.first is not None else found.changes
    assert detail.removeprefix("line 3: ").startswith(details)


def branching(selector: str, first: str, second: str) -> str:
    """Return a program whose branches apply one op each to %x."""
    return f"""func.func @main(%x: tensor<2xf32>, %k: tensor<i1>) -> tensor<2xf32> {{
  %not = stablehlo.not %k : tensor<i1>
  %0 = "stablehlo.if"(%{selector}) ({{
    %1 = stablehlo.{first} %x : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }}, {{
    %1 = stablehlo.{second} %x : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }}) : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}}"""


def test_branches_in_another_order() -> None:
    """Exchanged branches are the finding, not the ops in them; with the selector negated, both are right."""
    inputs = [np.array([0.5, -0.25], np.float32), np.array(True)]
    right, wrong = branching("k", "tanh", "negate"), branching("k", "negate", "tanh")
    found = shlo.compare(shlo.parse(wrong), shlo.parse(right), inputs)
    assert found.first is not None and not found.first.ok and found.first.op == "stablehlo.if"
    assert "the order of branches" in found.first.details
    mended = shlo.compare(shlo.parse(branching("not", "negate", "tanh")), shlo.parse(right), inputs)
    assert mended.ok and mended.first is None and not mended.unmatched


def test_the_largest_errors_are_told_first() -> None:
    """Of ten wrong constants: the first, then five others by their errors, or as many as are asked for."""
    lines = [f"  %c{i} = stablehlo.constant dense<{i}.0> : tensor<2xf32>" for i in range(1, 11)]
    lines += [f"  %r{i} = stablehlo.add %x, %c{i} : tensor<2xf32>" for i in range(1, 11)]
    results = ", ".join(f"%r{i}" for i in range(1, 11)), ", ".join(["tensor<2xf32>"] * 10)
    head = f"func.func @main(%x: tensor<2xf32>) -> ({results[1]}) {{"
    text = "\n".join([head, *lines, f"  return {results[0]} : {results[1]}", "}"])
    other = text
    for i in range(1, 11):  # wrong by a tenth, two tenths, ...
        other = other.replace(f"dense<{i}.0>", f"dense<{i * (10 + i) / 10}>")
    for top, expected in ((None, 5), (2, 2), (0, 0), (9, 9)):
        options = {} if top is None else {"top": top}
        found = shlo.compare(shlo.parse(text), shlo.parse(other), [X[:2]], **options)  # type: ignore[arg-type]
        assert found.first is not None and len(found.others) == expected
        sizes = [each.size for each in found.others]
        assert sizes == sorted(sizes, reverse=True)
        assert [each.line for each in found.others] == list(range(11, 1, -1))[:expected]


def test_five_elements_are_described() -> None:
    text = """func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = stablehlo.OP %x, %x : tensor<9xf32>
  return %0 : tensor<9xf32>
}"""
    x = np.arange(2, 11).astype(np.float32)  # x + x is less than x x by a share of 1 - 2 / x
    found = shlo.compare(*(shlo.parse(text.replace("OP", op)) for op in ("add", "multiply")), [x])
    assert found.first is not None
    assert [(index, a, b) for index, a, b in found.first.results[0].worst] == [
        ((i,), str(2 * x[i]), str(x[i] * x[i])) for i in (8, 7, 6, 5, 4)
    ]
    assert found.first.text == "%0 = stablehlo.add %x, %x : tensor<9xf32>"
    assert found.first.other_text == "%0 = stablehlo.multiply %x, %x : tensor<9xf32>"
