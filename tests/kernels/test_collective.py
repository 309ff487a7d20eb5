"""The process grid: groups that meet, channels, and what happens when processes do not come."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import F64, TensorType
from stablehlo_py.kernels.ragged import ragged_dot

MAIN = """
func.func @main(%a: tensor<2xi64>, %b: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>) {{
  %0:2 = "interpreter.run_parallel"(%a, %b) <{{programs = {programs}}}>
    : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  return %0#0, %0#1 : tensor<2xi64>, tensor<2xi64>
}}
func.func @sum(%x: tensor<2xi64>) -> tensor<2xi64> {{
  %0 = "stablehlo.all_reduce"(%x) <{{replica_groups = dense<{groups}> : tensor<{shape}xi64>}}> ({{
  ^bb0(%p: tensor<i64>, %q: tensor<i64>):
    %s = stablehlo.add %p, %q : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }}) : (tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}}
func.func @alone(%x: tensor<2xi64>) -> tensor<2xi64> {{
  return %x : tensor<2xi64>
}}
"""


def run(programs: str, groups: str, shape: str) -> list[list[int]]:
    text = MAIN.format(programs=programs, groups=groups, shape=shape)
    return [r.tolist() for r in shlo.run(shlo.parse(text), [[1, 2], [10, 20]])]


def test_replicas_meet_and_partitions_do_not() -> None:
    assert run("[[@sum], [@sum]]", "[[0, 1]]", "1x2") == [[11, 22], [11, 22]]
    assert run("[[@sum], [@sum]]", "[[0], [1]]", "2x1") == [[1, 2], [10, 20]]
    assert run("[[@sum, @sum]]", "[[0]]", "1x1") == [[1, 2], [10, 20]]


def test_a_process_that_does_not_come() -> None:
    with pytest.raises(shlo.RunError, match="wait for each other"):
        run("[[@sum], [@alone]]", "[[0, 1]]", "1x2")


def test_a_group_that_is_not_in_the_grid() -> None:
    with pytest.raises(shlo.RunError, match="the grid is of 1 by 2"):
        run("[[@sum, @sum]]", "[[0, 1]]", "1x2")


def test_ragged_dot_with_a_slice_for_each_group() -> None:
    """Rows 0 to 1 go with the first slice, rows 2 to 4 with the last; row 5 belongs to none."""
    random = np.random.default_rng(0)
    lhs, rhs = random.normal(size=(6, 4)), random.normal(size=(3, 4, 5))
    found = ragged_dot(
        lhs,
        rhs,
        np.array([2, 0, 3]),
        lhs_batching_dimensions=(),
        rhs_batching_dimensions=(),
        lhs_contracting_dimensions=(1,),
        rhs_contracting_dimensions=(1,),
        lhs_ragged_dimensions=(0,),
        rhs_group_dimensions=(0,),
        result=TensorType((6, 5), F64),
    )
    expected = np.concatenate([lhs[:2] @ rhs[0], lhs[2:5] @ rhs[2], np.zeros((1, 5))])
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)
