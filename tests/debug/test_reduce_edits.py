"""Edits of a reduction: which there are, what each makes, and that it is valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.reduce import edits
from stablehlo_py.debug.reduce.candidate import Candidate

X = np.arange(8, dtype=np.float32).reshape(2, 4)
LINES = """func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.sine %x : tensor<2x4xf32>
  %1 = stablehlo.cosine %0 : tensor<2x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x4xf32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}"""
REDUCE = """func.func @main(%x: tensor<2x4xf32>, %i: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce(%x init: %i) across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.multiply %a, %b : tensor<f32>
    %2 = stablehlo.abs %b : tensor<f32>
    %3 = stablehlo.add %1, %a : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }
  return %0 : tensor<2xf32>
}"""
LOOP = """func.func private @f(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.exponential %a : tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = func.call @f(%x) : (tensor<f32>) -> tensor<f32>
  %1:2 = stablehlo.while(%i = %z, %c = %0) : tensor<i32>, tensor<f32>
  cond {
    %end = stablehlo.constant dense<5> : tensor<i32>
    %q = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %q : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.add %c, %c : tensor<f32>
    stablehlo.return %n, %d : tensor<i32>, tensor<f32>
  }
  %2 = "stablehlo.if"(%p) ({
    %3 = stablehlo.sine %1#1 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }, {
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %2 : tensor<f32>
}"""
ATTRIBUTES = """func.func @main(%x: tensor<2x4xf32>, %y: tensor<4x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.constant dense<[[3.0, 1.0], [1.0, 1.0]]> : tensor<2x2xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<2x2xf32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGH, HIGH] {note = "n"}
    : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.add %2, %0 : tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}"""
Y = X.reshape(4, 2)


PLACES = """func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  %0 = "stablehlo.if"(%p) ({
    %values, %indices = chlo.top_k(%x, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
    stablehlo.return %values : tensor<2xf32>
  }, {
    %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
    stablehlo.return %zero : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""
OTHER_VALUES = """func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<w> : tensor<2xf32>
  check.expect_eq_const %0, dense<[3.0, 4.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000404000008040"
    }
  }
#-}"""


def candidate(text: str, *inputs: Any) -> Candidate:
    return Candidate(shlo.parse(text), inputs)


def ops(found: Candidate | None) -> str:
    """The ops of a candidate in order, without those of the dialect's name, and its results."""
    if found is None:
        return "none"
    names = [op.name for op in found.module.walk() if op.name.startswith("stablehlo.")]
    return " ".join(name.removeprefix("stablehlo.") for name in names if name != "stablehlo.return")


@pytest.mark.parametrize(
    ("edit", "text", "inputs", "expected"),
    [
        (edits.single_results, LINES, [X],
         {"return %0 only": "sine", "return %1 only": "sine cosine", "return %2 only": "sine cosine add"}),
        (edits.fewer_results, LINES, [X],
         {"drop the result %0": "sine cosine add", "drop the result %1": "sine cosine add",
          "drop the result %2": "sine cosine"}),
        (edits.dropped_ops, LINES, [X],
         {"drop add": "sine cosine", "drop sine": "cosine add",
          "drop cosine": "sine add"}),
        (edits.replaced_by_values, LINES, [X],
         {"replace sine by %x": "cosine add", "replace cosine by %0": "sine add",
          "replace add by %0": "sine cosine", "replace add by %1": "sine cosine"}),
        (edits.replaced_by_values, REDUCE, [X, np.float32(0)],
         {"replace multiply by %a": "reduce abs add", "replace multiply by %b": "reduce abs add",
          "replace abs by %b": "reduce multiply add", "replace abs by %a": "reduce multiply add",
          "replace add by %1": "reduce multiply abs", "replace add by %a": "reduce multiply abs",
          "replace add by %b": "reduce multiply abs"}),
        (edits.without_dead_ops, REDUCE, [X, np.float32(0)],
         {"drop dead ops of regions": "reduce multiply add"}),
        (edits.without_dead_ops, LINES, [X], {}),
        (edits.without_dead_ops, PLACES, [X[0], np.bool_(1)], {}),
        (edits.replaced_by_constants, REDUCE, [X, np.float32(0)],
         {"replace multiply by 0": "reduce constant abs add",
          "replace multiply by 1": "reduce constant abs add",
          "replace abs by 0": "reduce multiply constant add",
          "replace abs by 1": "reduce multiply constant add",
          "replace add by 0": "reduce multiply abs constant",
          "replace add by 1": "reduce multiply abs constant"}),
        (edits.replaced_by_constants, LINES, [X], {}),
        (edits.smaller_dimensions, LINES, [X],
         {"shrink dimensions of 4 to 1": "sine cosine add", "shrink dimensions of 4 to 2": "sine cosine add",
          "shrink dimensions of 4 to 3": "sine cosine add",
          "shrink dimensions of 2 to 1": "sine cosine add"}),
        (edits.simpler_attributes, ATTRIBUTES, [X, Y],
         {"drop all optional attributes": "constant constant dot_general add",
          "drop note of dot_general": "constant constant dot_general add",
          "drop precision_config of dot_general": "constant constant dot_general add"}),
        (edits.unwrapped, LOOP, [np.float32(1), np.bool_(1)],
         {"inline @f": "exponential constant exponential while constant compare constant add add if sine",
          "take one iteration of while": "exponential constant constant add add if sine",
          "take region 0 of if": "exponential constant while constant compare constant add add sine",
          "take region 1 of if": "exponential constant while constant compare constant add add",
          **{f"take body of while in iteration {n}": "constant add add" for n in (0, 1, 2, 4)},
          **{f"take cond of while in iteration {n}": "constant compare" for n in (0, 1, 2, 4)},
          **{f"take {region} of while in iteration 8": "none" for region in ("body", "cond")}}),
        (edits.simpler_constants, ATTRIBUTES, [X, Y],
         {"replace a constant by its first element": "constant constant dot_general add",
          "replace a constant by 0": "constant constant dot_general add",
          "replace a constant by 1": "constant constant dot_general add"}),
        (edits.simpler_constants, OTHER_VALUES, [], {}),
    ],
)  # fmt: skip
def test_edits(
    edit: Callable[[Candidate], Iterator[edits.Edit]], text: str, inputs: list[Any], expected: dict[str, str]
) -> None:
    found = {each.what: each.make() for each in edit(candidate(text, *inputs))}
    assert {what.replace("stablehlo.", ""): ops(made) for what, made in found.items()} == expected
    for made in filter(None, found.values()):
        assert shlo.verify(made.module) == []
        shlo.run(made.module, made.inputs)


def test_an_iteration_has_the_values_that_the_loop_carries_into_it() -> None:
    found = {each.what: each.make() for each in edits.unwrapped(candidate(LOOP, np.float32(0), np.bool_(1)))}
    made = found["take body of stablehlo.while in iteration 4"]
    assert made is not None and [each.tolist() for each in made.inputs] == [4, 16]  # 1 doubled four times


def test_an_op_that_is_dropped_leaves_its_value_as_an_argument() -> None:
    found = {each.what: each.make() for each in edits.dropped_ops(candidate(LINES, X))}
    made = found["drop stablehlo.cosine"]
    assert made is not None
    assert [np.allclose(a, b) for a, b in zip(made.inputs, (X, np.cos(np.sin(X))), strict=True)] == [
        True,
        True,
    ]


def test_dimensions_shrink_with_the_inputs() -> None:
    found = {each.what: each.make() for each in edits.smaller_dimensions(candidate(LINES, X))}
    for size, shape in (("4 to 1", (2, 1)), ("4 to 3", (2, 3)), ("2 to 1", (1, 4))):
        made = found[f"shrink dimensions of {size}"]
        assert made is not None and np.array_equal(made.inputs[0], X[: shape[0], : shape[1]])
    dynamic = LINES.replace("2x4", "?x4")
    whats = [each.what for each in edits.smaller_dimensions(candidate(dynamic, X))]
    assert whats == [f"shrink dimensions of 4 to {size}" for size in (1, 2, 3)]


def test_constants_keep_their_shape() -> None:
    found = {each.what: each.make() for each in edits.simpler_constants(candidate(ATTRIBUTES, X, Y))}
    product = X @ Y
    for what, value in (("its first element", 3), ("0", 0), ("1", 1)):
        made = found[f"replace a constant by {what}"]
        assert made is not None
        assert np.array_equal(shlo.run(made.module, made.inputs)[0], product + value)


def test_candidates_are_known_by_their_program_and_inputs() -> None:
    keys = [
        candidate(text, inputs).key
        for text in (LINES, LINES.replace("stablehlo.sine", "stablehlo.tanh"))
        for inputs in (X, X + 1)
    ]
    assert len(set(keys)) == 4 and candidate(LINES, X.copy()).key == keys[0]


def test_the_numbers_of_operands_and_results_are_no_optional_attributes() -> None:
    """Without them, it is not known which operands and results are which."""
    candidate = Candidate(
        shlo.parse(
            """func.func @main(%x: tensor<4xi32>, %init: tensor<i32>) -> (tensor<4xi32>, tensor<i32>) {
  %r:2 = "chlo.scan"(%x, %init) <{dimension = 0 : i64, is_reverse = true,
    operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%element: tensor<i32>, %carry: tensor<i32>):
    %sum = stablehlo.add %element, %carry : tensor<i32>
    stablehlo.return %sum, %sum : tensor<i32>, tensor<i32>
  }) {mine = 1 : i64} : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return %r#0, %r#1 : tensor<4xi32>, tensor<i32>
}"""
        ),
        (np.arange(4, dtype=np.int32), np.int32(0)),
    )
    made = {edit.what: edit.make() for edit in edits.simpler_attributes(candidate)}
    assert "drop mine of chlo.scan" in made and not [what for what in made if "Segment" in what]
    for each in made.values():
        assert each is not None and shlo.verify(each.module) == []
        assert each.text.count("SegmentSizes") == candidate.text.count("SegmentSizes")
