"""Three-valued logic, comparison of types and lists, and elements of constants: tables by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import DenseElementsAttr, TypeAttr
from stablehlo_py.ir.types import F32, F64, I32, I64, TOKEN, FunctionType, TensorType, Type
from stablehlo_py.notation.sorts import Undefined
from stablehlo_py.notation.values import (
    MOST_ELEMENTS,
    array_shape,
    as_list,
    broadcast,
    compatible,
    elements,
    equal,
    every,
    member,
    negate,
    nested_list,
    ordered,
    rows_of,
    some,
)


@pytest.mark.parametrize("truths", [*product([True, False, None], repeat=3)])
def test_conjunctions_and_disjunctions(truths: tuple[bool | None, ...]) -> None:
    assert every(truths) is (False if False in truths else None if None in truths else True)
    assert some(truths) is (True if True in truths else None if None in truths else False)


def test_none_and_one() -> None:
    assert every([]) is True and some([]) is False
    assert [negate(truth) for truth in (True, False, None)] == [False, True, None]


def type_of(text: str) -> Type:
    found = shlo.parse(f"func.func private @f({text})").functions["f"].properties["function_type"]
    assert isinstance(found, TypeAttr) and isinstance(found.value, FunctionType)
    return found.value.inputs[0]


QUANTIZED = "tensor<2x!quant.uniform<i8:f32, 0.5:3>>"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("tensor<2x3xf32>", "tensor<2x3xf32>", True),
        ("tensor<2x3xf32>", "tensor<3x2xf32>", False),
        ("tensor<2x3xf32>", "tensor<2x3x1xf32>", False),
        ("tensor<2x3xf32>", "tensor<2x3xf64>", False),
        ("tensor<2x?xf32>", "tensor<2x?xf32>", None),
        ("tensor<2x?xf32>", "tensor<2x3xf32>", None),
        ("tensor<2x?xf32>", "tensor<3x?xf32>", False),
        ("tensor<?xf32, #stablehlo.bounds<4>>", "tensor<4xf32>", None),
        ("tensor<?xf32, #stablehlo.bounds<4>>", "tensor<5xf32>", False),
        ("tensor<?xf32, #stablehlo.bounds<4>>", "tensor<?xf32>", None),
        ("tensor<*xf32>", "tensor<2x3xf32>", None),
        ("tensor<*xf32>", "tensor<*xf32>", None),
        ("tensor<*xf32>", "tensor<2x3xf64>", False),
        ("tensor<*xf32>", "!stablehlo.token", False),
        ("memref<2x3xf32>", "tensor<2x3xf32>", True),
        ("memref<2x3xf32>", "memref<2x4xf32>", False),
        (QUANTIZED, QUANTIZED, True),
        (QUANTIZED, QUANTIZED.replace("0.5:3", "0.25:4"), True),  # the scale and the zero point are free
        (QUANTIZED, QUANTIZED.replace("i8", "u8").replace("0.5:3", "0.5:3"), False),
        (QUANTIZED.replace("i8", "u8"), QUANTIZED.replace("i8", "ui8"), False),
        (QUANTIZED, QUANTIZED.replace("i8", "i4"), False),
        (QUANTIZED, QUANTIZED.replace("i8:", "i8<-127:127>:"), False),
        (QUANTIZED, QUANTIZED.replace("i8:", "i8<-128:126>:"), False),
        (QUANTIZED, QUANTIZED.replace(":f32", ":f64"), False),
        (QUANTIZED, QUANTIZED.replace("f32, 0.5:3", "f32:0, {0.5:3, 0.5:3}"), False),
        (QUANTIZED, "tensor<2xi8>", False),
        ("!stablehlo.token", "!stablehlo.token", True),
        ("!stablehlo.token", "tensor<2xf32>", False),
        ("tensor<2xf32>", "!stablehlo.token", False),
    ],
)
def test_types(a: str, b: str, expected: bool | None) -> None:
    one, other = type_of(a), type_of(b)
    assert compatible(one, other) is compatible(other, one) is equal(one, other) is expected


def test_shapes_of_arrays() -> None:
    dense = DenseElementsAttr(TensorType((2,), I64), np.array([3, 4]))
    assert array_shape(np.zeros((2, 0))) == (2, 0)
    assert array_shape(TensorType((2, None), F32)) == (2, None)
    assert array_shape(dense) == (2,)
    for value in (3, None, TOKEN, "a"):
        with pytest.raises(Undefined):
            array_shape(value)
    assert as_list(dense) == as_list(np.array([3, 4])) == [3, 4]
    for value in (np.zeros(()), np.zeros((1, 1))):
        with pytest.raises(Undefined):
            as_list(value)


@pytest.mark.parametrize(("size", "is_known"), [(MOST_ELEMENTS, True), (MOST_ELEMENTS + 1, False)])
def test_elements_of_large_splats_are_unknown(size: int, is_known: bool) -> None:
    splat = DenseElementsAttr(TensorType((size,), I32), np.array([7], np.int32))
    repeated = np.broadcast_to(np.int32(7), (size,))
    assert (elements(splat) is not None) is (elements(repeated) is not None) is is_known
    assert (nested_list(TensorType((size,), I32)) is not None) is is_known
    assert elements(np.zeros(size, np.int8)) is not None


def test_lists_of_elements() -> None:
    assert nested_list(np.array([[1, 2], [3, 4]])) == [[1, 2], [3, 4]]
    assert nested_list(TensorType((2,), I32)) == [None, None]
    for type in (TensorType((None,), I32), TensorType((1, 2), I32), TensorType((), I32)):
        assert nested_list(type) is None
    assert [nested_list(value) for value in (3, None, [1])] == [3, None, [1]]
    assert elements(3) is None


@pytest.mark.parametrize(
    ("a", "b", "same", "less"),
    [
        (1, 2, False, True),
        (2, 2, True, False),
        (None, 2, None, None),
        (2, None, None, None),
        ([1, 2], [1, 2], True, False),
        ([1, 2], [1, 3], False, False),
        ([1, None], [2, 3], False, None),
        ([1, None], [1, 3], None, False),
        ([1, 1], 1, True, False),
        (1, [1, 2], False, False),
        (1, (2, 3), False, True),
        ((2, 3), 4, False, True),
        ([[1], [2]], [[2], [3]], False, True),
        ([], [], True, True),
        (1.5, 2.5, False, True),
    ],
)
def test_lists_are_compared_by_element(a: Any, b: Any, same: bool | None, less: bool | None) -> None:
    assert equal(a, b) is same
    assert ordered(lambda x, y: bool(x < y))(a, b) is less


def test_lists_of_other_lengths() -> None:
    assert equal([1, 2], [1]) is equal([], [1]) is False
    with pytest.raises(Undefined, match="unequal length"):
        ordered(lambda x, y: bool(x < y))([1, 2], [1])
    with pytest.raises(Undefined, match="unequal length"):
        broadcast(max, [1, 2], [1])


def test_members() -> None:
    assert [member(x, [1, None]) for x in (1, 2)] == [True, None]
    assert member(2, [1, 3]) is member(1, []) is False and member(1, None) is None
    assert member([1, 2], [[1, 2]]) is True and member(F64, [F32, F64]) is True


def test_functions_of_scalars_apply_to_lists() -> None:
    assert broadcast(max, 1, 2) == 2
    assert broadcast(max, [1, 5], 3) == broadcast(max, 3, (1, 5)) == [3, 5]
    assert broadcast(lambda a, b: a - b, [7, 5], [1, 2]) == [6, 3]
    assert broadcast(max, [[1, 5], [2, 6]], 3) == [[3, 5], [3, 6]]
    assert broadcast(max, [1], None) is broadcast(max, None, 1) is None


def test_rows_that_look_as_the_one_before() -> None:
    """Values look the same where their types are; other things where they are the same."""
    module = shlo.parse("func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) { return }")
    a, b, c = module.functions["f"].regions[0].blocks[0].arguments
    rows = [[a, b, c, c], [b, a, a, c]]
    assert list(rows_of(rows)) == [((a, b), False), ((b, a), True), ((c, a), False), ((c, c), False)]
    assert list(rows_of([[a, c, c]])) == [((a,), False), ((c,), False), ((c,), True)]
    assert list(rows_of([[a], [b]])) == [((a, b), False)]
    assert list(rows_of([[F32, F32, F64], [I32, I32, I32]])) == [
        ((F32, I32), False),
        ((F32, I32), True),
        ((F64, I32), False),
    ]
