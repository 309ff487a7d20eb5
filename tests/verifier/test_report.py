"""Positions of diagnostics: the C++ verifier's lines, for constraints on a single property."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.verifier.report import property_position

CONVOLUTION = """func.func @main(%a: tensor<1x8x8x7xf32>, %b: tensor<3x3x7x16xf32>) {
  %0 = stablehlo.convolution(%a, %b)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]}
    {  // "batch_group_count = 3"
      batch_group_count = 0 : i64, feature_group_count = 1 : i64
    } : (tensor<1x8x8x7xf32>, tensor<3x3x7x16xf32>) -> tensor<1x8x8x16xf32>
  return
}
"""
GENERIC_CONVOLUTION = """func.func @main(%a: tensor<1x8x8x7xf32>, %b: tensor<3x3x7x16xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{
    batch_group_count = 0 : i64, feature_group_count = 1 : i64, padding = dense<1> : tensor<2x2xi64>,
    dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>
  }> : (tensor<1x8x8x7xf32>, tensor<3x3x7x16xf32>) -> tensor<1x8x8x16xf32>
  return
}
"""
DOT = """func.func @main(%a: tensor<2x2xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0],
    precision = [DEFAULT, DEFAULT],
    algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32,
      lhs_component_count = 3, rhs_component_count = 1, num_primitive_operations = 1,
      allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
"""
AFTER_A_DICTIONARY = """func.func @main(%a: tensor<1x8x8x7xf32>, %b: tensor<3x3x7x16xf32>) {
  %0 = stablehlo.convolution(%a, %b)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]}
    {a = {b = {}}, c = "}",  // }
     batch_group_count = 0 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x7xf32>, tensor<3x3x7x16xf32>) -> tensor<1x8x8x16xf32>
  return
}
"""
GENERIC_COSINE = """func.func @main(%a: tensor<2xf32>) {
  %0 = "stablehlo.cosine"(%a) <{
    result_accuracy =
      #stablehlo.result_accuracy<atol = 1.0, mode = #stablehlo.result_accuracy_mode<DEFAULT>>
  }> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
"""


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        (CONVOLUTION, "convolution.C22", 5, 5),  # the dictionary behind a pretty form
        (AFTER_A_DICTIONARY, "convolution.C22", 5, 5),  # not the one that is closed
        (GENERIC_CONVOLUTION, "convolution.C22", 2, 8),  # the op
        (DOT, "dot_general.U2", 4, 17),  # a structured attribute's own text
        (GENERIC_COSINE, "cosine.U2", 4, 7),
    ],
)
def test_a_property_has_a_position(text: str, code: str, line: int, column: int) -> None:
    found = {(d.code, d.line, d.column) for d in shlo.verify(shlo.parse(text))}
    assert (code, line, column) in found


def test_a_built_op_has_none() -> None:
    module = shlo.parse(DOT)
    for op in module.walk():
        op.offset = -1
    found = [d for d in shlo.verify(module) if d.code == "dot_general.U2"]
    assert [(d.line, d.column) for d in found] == [(0, 0)]


def test_a_property_that_the_text_does_not_have() -> None:
    """In braces or as a structure it has a position; one that was added to the op has that of the op."""
    module = shlo.parse(CONVOLUTION)
    (op,) = [op for op in module.walk() if op.name == "stablehlo.convolution"]
    assert property_position(module, op, "batch_group_count") == (5, 5)
    assert property_position(module, op, "padding") is None
