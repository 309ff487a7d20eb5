"""Comparison of runs: seeds of random numbers, entry functions of other names, floors, grids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare.driver import Comparer
from stablehlo_py.debug.compare_arrays import Tolerance

DRAWN = """func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {
  %a = stablehlo.constant dense<0.0> : tensor<f64>
  %b = stablehlo.constant dense<1.0> : tensor<f64>
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<1xi64>) -> tensor<3xf64>
  %0 = stablehlo.add %r, %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}"""  # noqa: E501
ZERO = np.zeros(3)


def stated(seed: int) -> str:
    """The program with the numbers of a seed as a constant."""
    (numbers,) = shlo.run(shlo.parse(DRAWN), [ZERO], seed=seed)
    kept = [line for line in DRAWN.splitlines() if "stablehlo.rng" not in line]
    constant = f"  %r = stablehlo.constant dense<{numbers.tolist()}> : tensor<3xf64>"
    return "\n".join([*kept[:4], constant, *kept[4:]])


@pytest.mark.parametrize("seed", [0, 5])
def test_both_programs_draw_the_numbers_of_the_seed(seed: int) -> None:
    module = shlo.parse(DRAWN)
    assert shlo.compare(module, shlo.parse(DRAWN), [ZERO], seed=seed).ok
    for mine, theirs in ((DRAWN, stated(seed)), (stated(seed), DRAWN)):
        assert shlo.compare(shlo.parse(mine), shlo.parse(theirs), [ZERO], seed=seed).ok
        assert not shlo.compare(shlo.parse(mine), shlo.parse(theirs), [ZERO], seed=seed + 1).ok
    found = shlo.compare(module, None, [ZERO], engine="auto", seed=seed)
    assert found.ok and found.ops == 2
    assert Comparer(module, [ZERO], seed=seed).with_program(shlo.parse(stated(seed))).ok


PAIR = """func.func @first(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = stablehlo.negate %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @second(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = stablehlo.sine %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}"""


def test_functions_of_the_same_name_are_compared_or_the_only_one() -> None:
    sine = "func.func @other(%x: tensor<3xf64>) -> tensor<3xf64> {\n  %0 = stablehlo.OP %x : tensor<3xf64>\n"
    other = f"{sine}  return %0 : tensor<3xf64>\n}}"
    x, module = np.array([0.5, 1.0, 2.0]), shlo.parse(PAIR)
    swapped = shlo.parse(PAIR.replace("@first", "@x").replace("@second", "@first").replace("@x", "@second"))
    assert shlo.compare(module, module.clone(), [x], "second").ok
    found = shlo.compare(module, swapped, [x], "second")
    assert found.first is not None and (found.first.line, found.first.other_line) == (6, 2)
    assert shlo.compare(module, shlo.parse(other.replace("OP", "sine")), [x], "second").ok
    found = shlo.compare(module, shlo.parse(other.replace("OP", "cosine")), [x], "second")
    assert found.first is not None and (found.first.line, found.first.other_line) == (6, 2)
    with pytest.raises(shlo.StablehloError):
        shlo.compare(module, None, [x], engine="auto")  # which of both is not said


@pytest.mark.parametrize(
    ("floor", "ok"), [(0.0, False), (1e-9, False), (0.9e-7, False), (1.1e-7, True), (1e-3, True)]
)
def test_a_floor_is_a_share_of_the_results_of_the_first_program(floor: float, ok: bool) -> None:
    """The results are 1000 and 0; an error of 1e-4 is ten millionths of the largest."""
    text = """func.func @main(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
      %k = stablehlo.constant dense<1000.0> : tensor<f64>
      %c = stablehlo.constant dense<0.0> : tensor<f64>
      %0 = stablehlo.multiply %x, %k : tensor<f64>
      %1 = stablehlo.multiply %x, %c : tensor<f64>
      return %0, %1 : tensor<f64>, tensor<f64>
    }"""
    other = shlo.parse(text.replace("dense<0.0>", "dense<1.0e-4>"))
    found = shlo.compare(shlo.parse(text), other, [np.float64(1)], floor=floor)
    assert found.ok is ok
    assert shlo.compare(shlo.parse(text), other, [np.float64(1)], tolerance=Tolerance(atol=2e-4)).ok


GRID = """module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<f64>) -> tensor<f64> {
    %r = stablehlo.replica_id : tensor<ui32>
    %p = stablehlo.partition_id : tensor<ui32>
    %0 = stablehlo.convert %r : (tensor<ui32>) -> tensor<f64>
    %1 = stablehlo.convert %p : (tensor<ui32>) -> tensor<f64>
    %2 = stablehlo.OP %0, %1 : tensor<f64>
    %3 = stablehlo.add %2, %x : tensor<f64>
    return %3 : tensor<f64>
  }
}"""


@pytest.mark.parametrize(
    ("first", "second", "process"),
    [
        ("add", "add", None),
        ("add", "maximum", (1, 1)),  # 1 + 1, where the larger is 1
        ("add", "multiply", (0, 1)),  # the first in order of those that differ
        ("minimum", "multiply", None),
        ("subtract", "add", (0, 1)),
    ],
)
def test_the_process_whose_op_is_wrong(first: str, second: str, process: Any) -> None:
    inputs = {(r, p): [np.float64(10 * r + p)] for r in range(2) for p in range(2)}
    programs = [shlo.parse(GRID.replace("OP", op)) for op in (first, second)]
    found = shlo.compare(*programs, inputs)
    assert (found.first and found.first.process) == process
    if found.first is not None:
        assert found.first.line == 7 and found.first.results[0].worst[0][0] == ()
    run = shlo.compare(programs[0], None, inputs, engine="auto")
    assert run.ok and [each.name for each in run.results] == [
        f"%3@{r},{p}" for r in range(2) for p in range(2)
    ]
