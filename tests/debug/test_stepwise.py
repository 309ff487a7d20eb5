"""Runs in step: the values before an op, in an iteration of the loops around it, and in the branch taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.stepwise import Stepwise
from stablehlo_py.ir.core import Operation, Value

NESTED = """func.func @main(%x: tensor<i32>, %k: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%j = %zero, %b = %a) : tensor<i32>, tensor<i32>
    cond {
      %q = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    } do {
      %j1 = stablehlo.add %j, %one : tensor<i32>
      %b1 = stablehlo.multiply %b, %three : tensor<i32>
      stablehlo.return %j1, %b1 : tensor<i32>, tensor<i32>
    }
    %i1 = stablehlo.add %i, %one : tensor<i32>
    %a1 = stablehlo.subtract %1#1, %i : tensor<i32>
    stablehlo.return %i1, %a1 : tensor<i32>, tensor<i32>
  }
  %2 = "stablehlo.case"(%k) ({
    %3 = stablehlo.negate %0#1 : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }, {
    %4 = stablehlo.abs %0#1 : tensor<i32>
    stablehlo.return %4 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  %5 = stablehlo.not %2 : tensor<i32>
  return %5 : tensor<i32>
}"""
# a is x in iteration 0 and 1; then 3 x - 1, and from it 9 (3 x - 1) - 2.


class Run:
    """A run in step of the program for x = 2."""

    def __init__(self, k: int = 0) -> None:
        self.module = shlo.parse(NESTED)
        self.inputs = [np.int32(2), np.int32(k)]
        self.run = Stepwise(self.module, "main", "numpy")
        self.ops = {op.name.partition(".")[2]: op for op in self.module.walk()}

    def op(self, name: str) -> Operation:
        return self.ops[name]

    def value(self, name: str) -> Value:
        values = [result for op in self.module.walk() for result in op.results]
        values += [
            argument for op in self.module.walk() for block in op.blocks for argument in block.arguments
        ]
        return [value for value in values if str(value) == name][
            -1
        ]  # conditions have arguments of the same names

    def before(self, op: str, names: list[str], iterations: tuple[int, ...] | None = None) -> list[Any]:
        values = [self.value(name) for name in names]
        return [int(each) for each in self.run.values_before(self.op(op), values, self.inputs, iterations)]


@pytest.mark.parametrize(
    ("op", "names", "iterations", "expected"),
    [
        ("subtract", ["%1#1", "%i", "%x"], None, [2, 0, 2]),
        ("subtract", ["%1#1", "%i"], (1,), [6, 1]),
        ("subtract", ["%a", "%1#1", "%i"], (2,), [5, 45, 2]),
        ("multiply", ["%b", "%j", "%i"], None, [2, 0, 1]),  # not in the first iteration of the outer loop
        ("multiply", ["%b", "%j", "%i"], (2, 0), [5, 0, 2]),
        ("multiply", ["%b", "%j1", "%i"], (2, 1), [15, 2, 2]),
        ("negate", ["%0#1", "%k"], None, [43, 0]),
        ("not", ["%2", "%0#1"], None, [-43, 43]),
    ],
)
def test_values_before_an_op(
    op: str, names: list[str], iterations: tuple[int, ...] | None, expected: list[int]
) -> None:
    assert Run().before(op, names, iterations) == expected


def test_a_value_before_an_op_that_ops_between_them_use_alone() -> None:
    module = shlo.parse("""func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.negate %x : tensor<i32>
  %1 = stablehlo.add %0, %0 : tensor<i32>
  %2 = stablehlo.abs %1 : tensor<i32>
  return %2 : tensor<i32>
}""")
    first, _, last, _ = module.functions["main"].entry_block.ops
    run = Stepwise(module, "main", "numpy")
    assert run.values_before(last, [first.result], [np.int32(3)], None) == (-3,)


def test_a_run_may_stop_at_one_place_after_another() -> None:
    run = Run()
    assert run.before("not", ["%2"]) == [-43]
    assert run.before("not", ["%0#1", "%2"]) == [43, -43]
    assert run.before("subtract", ["%i1"], (2,)) == [3]
    assert run.before("multiply", ["%j1", "%b"], (2, 0)) == [1, 5]


@pytest.mark.parametrize(
    ("values", "agree"),
    [((1,), True), ((1, 1, 1), True), ((1, 1, 2), False), ((1, 2, 1), False), ((1, 2), False)],
)
def test_all_processes_take_the_same_branch(values: tuple[int, ...], agree: bool) -> None:
    run = Run()
    each = tuple(map(np.int32, values))
    if agree:
        assert run.run._agreed(run.op("case"), each) == 1
        return
    with pytest.raises(shlo.RunError, match=r"take different branches at stablehlo.case of line 23; engines"):
        run.run._agreed(run.op("case"), each)


@pytest.mark.parametrize(("k", "expected"), [(0, -43), (1, 43), (2, 43), (-1, 43), (-2, 43)])
def test_a_branch_out_of_range_is_the_last_one(k: int, expected: int) -> None:
    assert Run(k).before("not", ["%2"]) == [expected]


@pytest.mark.parametrize(
    ("op", "iterations", "where"),
    [
        ("abs", None, "line 27"),
        ("multiply", (0, 0), "line 16 in iteration 0, 0"),
        ("subtract", (3,), "line 20 in iteration 3"),
    ],
)
def test_places_that_a_run_does_not_reach(op: str, iterations: tuple[int, ...] | None, where: str) -> None:
    with pytest.raises(shlo.RunError, match=f"the run does not execute stablehlo.{op} of {where}$"):
        Run().before(op, ["%x"], iterations)
