"""Values as inputs: what is taken, what is converted, and what is refused with which words."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.interpreter import inputs
from stablehlo_py.interpreter.inputs import array_dtype, cast_input, convert_input, exact_form
from stablehlo_py.ir.types import TensorType
from stablehlo_py.syntax.parser import parse_type

TAKEN = [
    ("tensor<2xf32>", np.float32([1, 2]), [1, 2]),
    ("tensor<2xf32>", [1, 2], [1, 2]),
    ("tensor<2xf32>", [1.1, 2], [float(np.float32(1.1)), 2]),
    ("tensor<2xf32>", [1e300, 2], [np.inf, 2]),  # without a warning
    ("tensor<f64>", 3, 3),
    ("tensor<2xcomplex<f64>>", [1, 2j], [1, 2j]),
    ("tensor<2xcomplex<f64>>", [True, 2], None),
    ("tensor<i8>", 127, 127),
    ("tensor<ui8>", 255, 255),
    ("tensor<i1>", True, True),
    ("tensor<0xi32>", [], []),
    ("tensor<?x2xi32>", [[1, 2]], [[1, 2]]),
    ("tensor<?xi32, #stablehlo.bounds<2>>", [1, 2], [1, 2]),
    ("tensor<?xi32, #stablehlo.bounds<2>>", [], []),
    ("tensor<?x?xi32, #stablehlo.bounds<?, 1>>", [[1], [2]], [[1], [2]]),
    ("tensor<2xbf16>", np.array([1, 2], ml_dtypes.bfloat16), [1, 2]),
    ("tensor<2xbf16>", np.array([1, 2], ml_dtypes.bfloat16).view("V2"), [1, 2]),
    ("!stablehlo.token", object(), None),
]


@pytest.mark.parametrize(("type", "value", "expected"), TAKEN)
def test_values_that_are_taken(type: str, value: Any, expected: Any) -> None:
    found = convert_input(value, parse_type(type), "x")
    if expected is None:
        assert found is None or found.tolist() == [1, 2]
        return
    assert found.tolist() == expected
    assert found.dtype == array_dtype(parse_type(type), "x")  # type: ignore[arg-type]


REFUSED = [
    (
        "tensor<2xf32>",
        np.float64([1, 2]),
        "x is an array of float64, expected tensor<2xf32> (elements of float32)",
    ),
    ("tensor<2xi32>", np.int64([1, 2]), "; convert it with --cast, or with astype('int32')"),
    ("tensor<2xi32>", np.float32([1, 2]), "expected tensor<2xi32> (elements of int32)"),
    ("tensor<2xi32>", [1.5, 2], "expected tensor<2xi32> (elements of int32)"),
    ("tensor<i8>", 128, "with values that int8 cannot represent"),
    ("tensor<ui8>", -1, "with values that uint8 cannot represent"),
    ("tensor<?xbf16>", np.zeros(2, "V4"), "x is an array of void32, expected tensor<?xbf16> (elements of bf"),
    (
        "tensor<?xf8E5M2>",
        np.zeros(2, "V2"),
        "x is an array of void16, expected tensor<?xf8E5M2> (elements of",
    ),
    ("tensor<i1>", 1, "expected tensor<i1> (elements of bool)"),
    ("tensor<i32>", True, "expected tensor<i32> (elements of int32)"),
    ("tensor<f32>", 1j, "expected tensor<f32> (elements of float32)"),
    ("tensor<2xf32>", [[1], [2, 3]], "x is not an array: "),
    ("tensor<2x3xf32>", np.zeros((3, 2), np.float32), "x has shape 3x2, expected tensor<2x3xf32>"),
    ("tensor<2xf32>", 1.0, "x is a scalar, expected tensor<2xf32>"),
    ("tensor<?x2xf32>", np.zeros((1, 3), np.float32), "x has shape 1x3, expected tensor<?x2xf32>"),
    ("tensor<?xi32, #stablehlo.bounds<2>>", [1, 2, 3], "x has shape 3, expected tensor<?xi32, #"),
    ("tensor<?x?xi32, #stablehlo.bounds<?, 1>>", [[1, 2]], "x has shape 1x2, expected tensor<?x?xi32, #"),
    ("tuple<i1, i1>", 3, "expected a tuple of 2"),
    ("tuple<tensor<i1>>", (True, False), "expected a tuple of 1"),
    ("tuple<tensor<i1>, tuple<tensor<i8>>>", (True, (300,)), "x, element 1, element 0 is "),
    ("i32", 3, "x has type i32, which cannot be an input"),
    ("tensor<2xf80>", [1, 2], "x has type tensor<2xf80>; element type f80 cannot be run"),
]


@pytest.mark.parametrize(("type", "value", "words"), REFUSED)
def test_values_that_are_refused(type: str, value: Any, words: str) -> None:
    with pytest.raises(shlo.RunError) as caught:
        convert_input(value, parse_type(type), "x")
    assert words in str(caught.value)


def test_a_tensor_that_no_array_holds() -> None:
    with pytest.raises(shlo.RunError, match=r"^x has rank 65; the highest supported rank is 64$"):
        array_dtype(TensorType((1,) * 65, parse_type("f32")), "x")
    array_dtype(TensorType((1,) * 64, parse_type("f32")), "x")
    with pytest.raises(
        shlo.RunError, match=r"^x of type tensor<4503599627370496xi8> takes 4,194,304.0 GiB, more"
    ):
        array_dtype(parse_type("tensor<4503599627370496xi8>"), "x")  # type: ignore[arg-type]
    assert 1 << 28 < inputs.machine_memory() < 1 << 50


def test_arrays_that_are_taken_as_they_are() -> None:
    assert exact_form(parse_type("tensor<2x3xbf16>")) == (np.dtype(ml_dtypes.bfloat16), (2, 3))
    for type in ("tensor<?xf32>", "tensor<2xf80>", "tuple<>", "!stablehlo.token"):
        assert exact_form(parse_type(type)) is None


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        ("tensor<2xf32>", np.float64([0.5, 2]), np.float32([0.5, 2])),
        ("tensor<2xbf16>", np.float32([1, 3.14159]), np.array([1, 3.14159], ml_dtypes.bfloat16)),
        ("tensor<2xi8>", np.int64([-128, 127]), np.int8([-128, 127])),
        ("tensor<2xf32>", np.int32([1, 2]), np.float32([1, 2])),
        ("tensor<0xi8>", np.float64([]), np.int8([])),
        ("tensor<2xf32>", np.float32([1, 2]), np.float32([1, 2])),
    ],
)
def test_arrays_of_another_type_are_cast(type: str, value: Any, expected: Any) -> None:
    found = cast_input(value, parse_type(type), "x")
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


def test_what_is_not_cast() -> None:
    f32 = parse_type("tensor<2xf32>")
    listed, raw = [1, 2], np.zeros(2, "V2")
    assert cast_input(listed, f32, "x") is listed and cast_input(raw, f32, "x") is raw
    pair = cast_input((np.float64([1, 2]), 3), parse_type("tuple<tensor<2xf32>, tensor<i1>>"), "x")
    assert pair[0].dtype == np.float32 and pair[1] == 3
    wrong = (np.float64([1]),)
    assert cast_input(wrong, parse_type("tuple<tensor<1xf32>, tensor<i1>>"), "x") is wrong
    with pytest.raises(shlo.RunError, match="with values that int8 cannot represent"):
        cast_input(np.int64([128]), parse_type("tensor<1xi8>"), "x")
    with pytest.raises(shlo.RunError, match=r"expected tensor<1xi8> \(elements of int8\)"):
        cast_input(np.float32([1]), parse_type("tensor<1xi8>"), "x")
