"""Scatter windows that may be partly out of bounds: where they start, and how far that may be, by hand."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo


def found(operand: str, indices: str, window: str, numbers: str, start: str) -> int:
    """The findings of a scatter of two windows; indices are an argument, a constant, clamped or a sum."""
    at = {
        "argument": "",
        "clamp": f"%z = stablehlo.constant dense<0> : tensor<i32>\n  %at = stablehlo.clamp %z, %i, %z : "
        f"(tensor<i32>, tensor<{indices}>, tensor<i32>) -> tensor<{indices}>\n",
        "add": f"%at = stablehlo.add %i, %i : tensor<{indices}>\n",
    }.get(start, f"%at = stablehlo.constant dense<{start}> : tensor<{indices}>\n")
    text = f"""func.func @main(%x: tensor<{operand}>, %i: tensor<{indices}>, %y: tensor<2x{window}>)
    -> tensor<{operand}> {{
  {at}  %0 = "stablehlo.scatter"(%x, %{"at" if at else "i"}, %y) <{{scatter_dimension_numbers =
    #stablehlo.scatter<{numbers}>, unique_indices = true}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }}) : (tensor<{operand}>, tensor<{indices}>, tensor<2x{window}>) -> tensor<{operand}>
  return %0 : tensor<{operand}>
}}"""
    module = shlo.parse(text)
    assert shlo.verify(module) == []
    return len(shlo.lint(module, select=["partial-scatter-window"]))


LINE = "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = "
# Component 0 of an index is along dimension 1 of the operand, component 1 along dimension 0.
PLANE = "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1"
ROWS = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
BATCH = "update_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], "
BATCH += "scatter_dims_to_operand_dims = [1], index_vector_dim = "


@pytest.mark.parametrize(
    ("operand", "indices", "window", "numbers", "start", "count"),
    [
        ("4xf32", "2x1xi32", "2xf32", f"{LINE}1", "argument", 1),
        ("4xf32", "2x1xi32", "2xf32", f"{LINE}1", "add", 1),
        ("4xf32", "2x1xi32", "2xf32", f"{LINE}1", "clamp", 0),
        ("4xf32", "2x1xi32", "2xf32", f"{LINE}1", "[[0], [2]]", 0),
        ("4xf32", "2x1xi32", "2xf32", f"{LINE}1", "[[0], [3]]", 1),
        ("4xf32", "2x1xi32", "2xf32", f"{LINE}1", "[[-1], [0]]", 1),
        ("4xf32", "2x1xi32", "2xf32", f"{LINE}1", "2", 0),
        ("4xf32", "2x1xi32", "4xf32", f"{LINE}1", "0", 0),
        ("4xf32", "2x1xi32", "4xf32", f"{LINE}1", "1", 1),
        ("4xf32", "2x1xi32", "1xf32", f"{LINE}1", "argument", 0),  # a single element
        ("4xf32", "2xi32", "2xf32", f"{LINE}1", "[0, 2]", 0),  # the dimension of components is left out
        ("4xf32", "2xi32", "2xf32", f"{LINE}1", "[0, 3]", 1),
        ("4xf32", "1x2xi32", "2xf32", f"{LINE}0", "[[0, 2]]", 0),
        ("4xf32", "1x2xi32", "2xf32", f"{LINE}0", "[[3, 0]]", 1),
        ("4x6xf32", "2x2xi32", "2x3xf32", PLANE, "[[3, 2], [0, 0]]", 0),
        ("4x6xf32", "2x2xi32", "2x3xf32", PLANE, "[[2, 3], [0, 0]]", 1),
        ("4x6xf32", "2x2xi32", "2x3xf32", PLANE, "[[0, 0], [4, 2]]", 1),
        ("4x6xf32", "2x2xi32", "1x3xf32", PLANE, "[[3, 9], [0, 0]]", 0),
        # Indices are columns: components 0 are 3 and 0, or 0 and 4.
        ("4x6xf32", "2x2xi32", "2x3xf32", PLANE[:-1] + "0", "[[3, 0], [2, 0]]", 0),
        ("4x6xf32", "2x2xi32", "2x3xf32", PLANE[:-1] + "0", "[[0, 3], [2, 1]]", 0),
        ("4x6xf32", "2x2xi32", "2x3xf32", PLANE[:-1] + "0", "[[0, 4], [2, 0]]", 1),
        ("4x6xf32", "2x2xi32", "2x3xf32", PLANE[:-1] + "0", "[[3, 0], [3, 0]]", 1),
        ("4x6xf32", "2x1xi32", "6xf32", f"{ROWS}index_vector_dim = 1", "argument", 0),
        ("2x6xf32", "2x1xi32", "3xf32", f"{BATCH}1", "3", 0),
        ("2x6xf32", "2x1xi32", "3xf32", f"{BATCH}1", "4", 1),
    ],
)  # fmt: skip
def test_starts(operand: str, indices: str, window: str, numbers: str, start: str, count: int) -> None:
    assert found(operand, indices, window, numbers, start) == count


def test_a_scatter_behind_another_op_that_combines_in_any_order() -> None:
    text = """func.func @main(%x: tensor<4xf32>, %i: tensor<1xi32>, %y: tensor<2xf32>, %z: tensor<f32>)
    -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) <{window_dimensions = array<i64: 2>,
    window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "stablehlo.scatter"(%0, %i, %y) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4xf32>, tensor<1xi32>, tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}"""
    module = shlo.parse(text)
    assert shlo.verify(module) == []
    assert [each.line for each in shlo.lint(module, select=["partial-scatter-window"])] == [13]
