"""Spellings of earlier releases are parsed to the same op, and printed in the current spelling."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.locations import Source
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.read.context import ParserState

FUNCTION = """
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3x4xf32>, %i: tensor<i32>, %s: tensor<f32>,
             %g: tensor<2x1xi32>, %x: tensor<1x4x4x1xf32>, %k: tensor<3x3x1x1xf32>) {{
  %0 = {}
  return
}}"""

SPELLINGS = {
    "broadcast_in_dim": (
        '"stablehlo.broadcast_in_dim"(%b) {broadcast_dimensions = dense<1> : tensor<1xi64>} : '
        "(tensor<3xf32>) -> tensor<2x3xf32>",
        "stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>",
    ),
    "transpose": (
        '"stablehlo.transpose"(%a) {permutation = dense<[1, 0]> : tensor<2xi64>} : '
        "(tensor<2x3xf32>) -> tensor<3x2xf32>",
        "stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
    ),
    "slice": (
        '"stablehlo.slice"(%a) {start_indices = dense<0> : tensor<2xi64>, limit_indices = dense<[1, 3]> : '
        "tensor<2xi64>, strides = dense<1> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<1x3xf32>",
        "stablehlo.slice %a [0:1, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>",
    ),
    "pad": (
        '"stablehlo.pad"(%a, %s) {edge_padding_low = dense<0> : tensor<2xi64>, edge_padding_high = '
        "dense<[1, 2]> : tensor<2xi64>, interior_padding = dense<0> : tensor<2xi64>} : "
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<3x5xf32>",
        "stablehlo.pad %a, %s, low = [0, 0], high = [1, 2], interior = [0, 0] : "
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<3x5xf32>",
    ),
    "dynamic_slice": (
        '"stablehlo.dynamic_slice"(%a, %i, %i) {slice_sizes = dense<1> : tensor<2xi64>} : '
        "(tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>",
        "stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 1] : "
        "(tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>",
    ),
    "fft": (
        '"stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type RFFT>, fft_length = dense<3> : tensor<1xi64>} : '
        "(tensor<2x3xf32>) -> tensor<2x2xcomplex<f32>>",
        "stablehlo.fft %a, type = RFFT, length = [3] : (tensor<2x3xf32>) -> tensor<2x2xcomplex<f32>>",
    ),
    "reduce": (
        '"stablehlo.reduce"(%a, %s) ({ ^bb0(%p: tensor<f32>, %q: tensor<f32>): '
        "%r = stablehlo.add %p, %q : tensor<f32> stablehlo.return %r : tensor<f32> }) "
        "{dimensions = dense<1> : tensor<1xi64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
        "stablehlo.reduce(%a init: %s) applies stablehlo.add across dimensions = [1] : "
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
    ),
    "dot_general": (
        '"stablehlo.dot_general"(%a, %c) {dot_dimension_numbers = '
        "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, "
        "precision_config = [#stablehlo<precision HIGH>, "
        "#stablehlo<precision DEFAULT>]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
        "stablehlo.dot_general %a, %c, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : "
        "(tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
    ),
    "convolution": (
        "stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
        "{stride = [1, 1], reverse = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf32>",
        "stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
        "{stride = [1, 1], reverse = [false, true]} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x2x2x1xf32>",
    ),
    "type_extensions": (
        '"stablehlo.set_dimension_size"(%b, %i) {dimension = 0 : i64} : (tensor<3xf32>, tensor<i32>) -> '
        "tensor<?xf32, #stablehlo.type_extensions<bounds = [3]>>",
        "stablehlo.set_dimension_size %b, %i, dim = 0 : (tensor<3xf32>, tensor<i32>) -> "
        "tensor<?xf32, #stablehlo.bounds<3>>",
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_older_spelling(name: str) -> None:
    older, newer = (shlo.parse(FUNCTION.format(text)) for text in SPELLINGS[name])
    assert not [d for d in shlo.verify(older) if d.severity == "error"]
    assert shlo.format(older, generic=True) == shlo.format(newer, generic=True)
    assert SPELLINGS[name][1] in shlo.format(older, canonical=False)


@pytest.mark.parametrize(
    ("reverse", "is_old"),
    [("[0, 1]", True), ("[0, 0]", True), ("[false, true]", False), ("[false, false]", False), ("[]", False)],
)
def test_numbers_that_are_flags_are_an_old_spelling(reverse: str, is_old: bool) -> None:
    text = FUNCTION.format(SPELLINGS["convolution"][0].replace("[0, 1]}", f"{reverse}}}"))
    note = "old spelling reverse = [0, 1]; use [false, true]"
    assert shlo.parse(text).old_spellings == ([(text.index(f"{reverse}}}"), note)] if is_old else [])


def test_errors_and_notes_are_counted_together() -> None:
    """An operation is repeated without being read again only if reading it reported nothing."""
    state = ParserState(Source("a.mlir", ""))
    counts = [state.note_count]
    state.errors.append(SourceError(0, "wrong"))
    counts.append(state.note_count)
    state.misspelled(3, "old", "new")
    counts.append(state.note_count)
    state.old_spellings.append((5, "older"))
    counts.append(state.note_count)
    assert counts == [0, 1, 2, 3]
