"""The judge of results: which differences are those of rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.blame.judge import Judge
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import FloatType


def is_wrong(type: str, expected: list[float], found: list[float], tolerance: float | None = None) -> bool:
    """The verdict on the result of a program that returns its input."""
    text = f"func.func @main(%a: tensor<2x{type}>) -> tensor<2x{type}> {{ return %a : tensor<2x{type}> }}"
    module = shlo.parse(text)
    dtype = numpy_dtype(FloatType(type))
    judge = Judge(module, [np.array(expected, dtype)], list, tolerance)
    return bool(judge.differences(module, [np.array(found, dtype)]))


@pytest.mark.parametrize(("type", "tolerance"), [("f64", 1e-6), ("f32", 1e-3), ("f16", 3e-2), ("bf16", 3e-2)])
def test_the_tolerance_is_that_of_the_type(type: str, tolerance: float) -> None:
    """Relative to the largest magnitude, 4, also for the small element."""
    assert not is_wrong(type, [4.0, 0.5], [4.0, 0.5 + 0.9 * 4 * tolerance])
    assert is_wrong(type, [4.0, 0.5], [4.0, 0.5 + 1.1 * 4 * tolerance])


F, N = "tensor<2xf32>", "tensor<2xNARROW>"
ROUNDED = f"""func.func @rounded(%a: {F}) -> {F} {{
    %0 = stablehlo.convert %a : ({F}) -> {N}
    %1 = stablehlo.convert %0 : ({N}) -> {F}
    return %1 : {F}
}}"""
MAIN = f"func.func @main(%a: {F}) -> ({F}, {F}) {{ BODY return %r, %a : {F}, {F} }}"
SAME = f"%r = stablehlo.negate %a : {F}"
CALL = f"%r = func.call @rounded(%a) : ({F}) -> {F}"
PRODUCT = f"""%0 = stablehlo.convert %a : ({F}) -> {N}
    %1 = stablehlo.multiply %a, %a : {F}
    %2 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : ({N}, {N}) -> tensor<f32>
    %r = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> {F}"""
CONVOLUTION = f"""%0 = stablehlo.convert %a : ({F}) -> {N}
    %1 = stablehlo.reshape %0 : ({N}) -> tensor<1x2x1xNARROW>
    %k = stablehlo.constant dense<1.0> : tensor<1x1x1xNARROW>
    %2 = stablehlo.convolution(%1, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
      window = {{}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
      : (tensor<1x2x1xNARROW>, tensor<1x1x1xNARROW>) -> tensor<1x2x1xf32>
    %r = stablehlo.reshape %2 : (tensor<1x2x1xf32>) -> {F}"""
BRANCH = f"""%c = stablehlo.constant dense<true> : tensor<i1>
    %r = "stablehlo.if"(%c) ({{
        %0 = stablehlo.convert %a : ({F}) -> {N}
        %1 = stablehlo.convert %0 : ({N}) -> {F}
        stablehlo.return %1 : {F} }}, {{ stablehlo.return %a : {F} }}) : (tensor<i1>) -> {F}"""

CAPTURED = f"""%c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.convert %a : ({F}) -> {N}
    %1 = stablehlo.convert %0 : ({N}) -> {F}
    %r = "stablehlo.if"(%c) ({{ stablehlo.return %1 : {F} }}, {{ stablehlo.return %a : {F} }})
      : (tensor<i1>) -> {F}"""


@pytest.mark.parametrize(
    ("first", "second", "type", "tolerance"),
    [
        (SAME, SAME, "bf16", 1e-3),
        (CALL, SAME, "bf16", 3e-2),  # a pass has removed conversions
        (BRANCH, SAME, "bf16", 3e-2),
        (CAPTURED, SAME, "bf16", 3e-2),
        (SAME, CALL, "bf16", 1e-3),  # a pass has added them: precision is lost
        (SAME, BRANCH, "bf16", 1e-3),
        (SAME, PRODUCT, "bf16", 3e-2),  # but operands of products may be narrow
        (SAME, PRODUCT, "f8E4M3FN", 1e-3),
        (SAME, CONVOLUTION, "bf16", 3e-2),
        (SAME, CONVOLUTION, "f8E4M3FN", 1e-3),
    ],
)
def test_a_narrow_type_counts_for_results_that_depend_on_it(
    first: str, second: str, type: str, tolerance: float
) -> None:
    """The other result is the argument, in f32."""
    right, other = [
        shlo.parse((ROUNDED + MAIN.replace("BODY", body)).replace("NARROW", type)) for body in (first, second)
    ]
    expected = [np.array([4.0, 0.5], np.float32)] * 2
    judge = Judge(right, [expected[0]], lambda inputs: expected, None)

    def wrong(errors: list[float]) -> list[str]:
        found = [x + np.array([0, 4 * e], np.float32) for x, e in zip(expected, errors, strict=True)]
        return [each.name[0] for each in judge.differences(other, found)]

    assert wrong([0.9 * tolerance, 0.9e-3]) == []
    assert wrong([1.1 * tolerance, 1.1e-3]) == ["0", "1"]


def test_a_stated_tolerance() -> None:
    assert not is_wrong("f32", [4.0, 0.5], [4.0, 1.2], 0.2)
    assert is_wrong("f32", [4.0, 0.5], [4.0, 0.6], 0.02)
    assert is_wrong("f32", [4.0, 0.5], [4.0, 0.503], 0.0)


def test_zeros_have_a_tolerance() -> None:
    assert not is_wrong("f64", [0.0, 0.0], [0.0, 0.9e-8])
    assert is_wrong("f64", [0.0, 0.0], [0.0, 1.1e-8])


def test_other_results_than_numbers() -> None:
    assert is_wrong("f32", [1.0, 2.0], [1.0, np.nan])
    assert is_wrong("f32", [1.0, 2.0], [1.0, np.inf])
    assert not is_wrong("f32", [1.0, np.nan], [1.0, np.nan])


@pytest.mark.parametrize("type", ["i1", "i4", "ui4", "i8", "ui8", "i64"])
def test_integers_have_no_tolerance(type: str) -> None:
    module = shlo.parse(
        f"func.func @main(%a: tensor<2x{type}>) -> tensor<2x{type}> {{ return %a : tensor<2x{type}> }}"
    )
    operand = module.functions["main"].blocks[0].arguments[0].type
    expected, wrong = (np.array(x).astype(numpy_dtype(operand.element_type)) for x in ([1, 1], [1, 0]))  # type: ignore[attr-defined]
    judge = Judge(module, [expected], list, 10.0)
    assert not judge.differences(module, [expected]) and judge.differences(module, [wrong])


def test_another_number_of_results() -> None:
    module = shlo.parse("func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }")
    with pytest.raises(shlo.RunError, match="2 results, expected 1"):
        Judge(module, [np.float32(1)], list, None).differences(module, [np.float32(1)] * 2)


def test_arrays_of_files_that_do_not_name_their_type() -> None:
    """A `.npy` file holds bf16 as two bytes."""
    text = "func.func @main(%a: tensor<2xbf16>) -> tensor<2xbf16> { return %a : tensor<2xbf16> }"
    module = shlo.parse(text)
    expected, wrong = (np.array(values, numpy_dtype(FloatType("bf16"))) for values in ([1, 2], [1, 3]))
    judge = Judge(module, [expected], list, None)
    assert not judge.differences(module, [expected.view("V2")])
    assert judge.differences(module, [wrong.view("V2")])
    (found,) = judge.differences(module, [np.zeros(1, "V4")])  # the bytes are as many, the elements are not
    assert not found.ok


def test_a_function_that_calls_itself_counts_once() -> None:
    """It rounds to bf16 before it does, so that a result has its tolerance."""
    call = f"%r = func.call @f(%a) : ({F}) -> {F}"
    body = ROUNDED.replace("@rounded", "@f").replace("return", f"%2 = func.call @f(%1) : ({F}) -> {F} return")
    module = shlo.parse((body + MAIN.replace("BODY", call)).replace("NARROW", "bf16"))
    expected = [np.array([4.0, 0.5], np.float32)] * 2
    judge = Judge(module, [expected[0]], lambda inputs: expected, None)
    error = np.array([0, 0.9 * 4 * 3e-2], np.float32)
    assert not judge.differences(module, [expected[0] + error, expected[1]])
    assert judge.differences(module, [expected[0], expected[1] + error])


@pytest.mark.parametrize(
    ("error", "kind", "is_wrong"),
    [
        (0.5, "plain", False),
        (-0.5, "plain", False),
        (0.5 + 2**-20, "plain", True),
        (0.5, "infinite", True),  # changes that are not finite explain nothing
        (0.5, "still", True),  # the second result does not change
        (np.inf, "plain", True),
    ],
)
def test_what_the_last_place_of_the_inputs_explains(error: float, kind: str, is_wrong: bool) -> None:
    """x - 1 in units of 2^-20, for x = 1 and 1 + 2^-23: four times an eighth is explained."""
    text = """func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
      return %x, %x : tensor<64xf32>, tensor<64xf32>
    }"""
    module, ones, runs = shlo.parse(text), np.ones(64, np.float32), list[object]()

    def run(inputs: Sequence[Any]) -> list[Any]:
        runs.append(inputs)
        found = (inputs[0] - np.float32(1)) * np.float32(2**20)
        if kind == "infinite" and len(runs) == 3:
            found = found + np.float32(np.inf)
        return [found, np.zeros_like(found) if kind == "still" else found]

    judge = Judge(module, [ones], run, None)
    zeros, result = np.zeros(64, np.float32), np.zeros(64, np.float32)
    result[5] = error
    found = judge.differences(module, [zeros, result])
    assert [each.name for each in found] == (["1 (%x)"] if is_wrong else [])
    assert len(runs) == (1 if error == np.inf else 4)
