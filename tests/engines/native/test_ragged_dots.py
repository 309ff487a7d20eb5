"""Ragged dots as loops, beside products of each group's rows with its matrix."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from stablehlo_py.engines.registry import find_engine

TEXT = """
func.func @main(%x: tensor<{x}xf32>, %y: tensor<{y}xf32>, %sizes: tensor<3xi32>) -> tensor<{z}xf32> {{
  %0 = "chlo.ragged_dot"(%x, %y, %sizes) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>}}>
    : (tensor<{x}xf32>, tensor<{y}xf32>, tensor<3xi32>) -> tensor<{z}xf32>
  return %0 : tensor<{z}xf32>
}}"""
ROWS = """lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
    lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]"""
BATCHES = """lhs_batching_dimensions = [1], rhs_batching_dimensions = [3], lhs_contracting_dimensions = [0],
    rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2], rhs_group_dimensions = [2]"""
TERMS = """lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1],
    rhs_group_dimensions = []"""


def steps_and_result(text: str, *inputs: np.ndarray) -> tuple[list[str], np.ndarray]:
    module = shlo.parse(text)
    assert not [d for d in shlo.verify(module) if d.severity == "error"]
    program = shlo.compile(module, engine=find_engine("native", verify_loops=True))
    return [step.name for step in program.plan.steps], program(*inputs)[0]


def integers(*shape: int) -> np.ndarray:
    """Small integers, so that sums are exact in any order."""
    return np.random.default_rng(5).integers(-9, 10, shape).astype(np.float32)


@pytest.mark.parametrize("sizes", [[2, 0, 3], [7, 0, 0], [1, 1, 5], [0, 0, 0]])
@pytest.mark.parametrize("columns", [3, 50])
def test_rows_are_multiplied_with_the_matrix_of_their_group(sizes: list[int], columns: int) -> None:
    x, y = integers(7, 80), integers(3, 80, columns)
    wanted, start = np.zeros((7, columns), np.float32), 0
    for group, size in enumerate(sizes):
        wanted[start : start + size] = x[start : start + size] @ y[group]
        start += size
    text = TEXT.format(x="7x80", y=f"3x80x{columns}", z=f"7x{columns}", numbers=ROWS)
    steps, found = steps_and_result(text, x, y, np.int32(sizes))
    assert steps == ["native"]
    np.testing.assert_array_equal(found, wanted)


def test_batches_share_their_groups() -> None:
    x, y = integers(5, 2, 6), integers(4, 5, 3, 2)  # terms, batches, rows; columns, terms, groups, batches
    matrices = [y[:, :, group] for group in (0, 0, 1, 2, 2)]
    wanted = np.zeros((2, 6, 4), np.float32)
    for row, matrix in enumerate(matrices):  # the last row is of no group
        wanted[:, row] = np.einsum("kb,nkb->bn", x[:, :, row], matrix)
    text = TEXT.format(x="5x2x6", y="4x5x3x2", z="2x6x4", numbers=BATCHES)
    steps, found = steps_and_result(text, x, y, np.int32([2, 1, 2]))
    assert steps == ["native"]
    np.testing.assert_array_equal(found, wanted)


def test_groups_of_terms_are_products_by_numpy() -> None:
    x, y = integers(4, 6), integers(6, 5)
    text = TEXT.format(x="4x6", y="6x5", z="3x4x5", numbers=TERMS)
    steps, found = steps_and_result(text, x, y, np.int32([2, 1, 3]))
    assert steps == ["chlo.ragged_dot"]
    np.testing.assert_array_equal(found, [x[:, :2] @ y[:2], x[:, 2:3] @ y[2:3], x[:, 3:] @ y[3:]])
