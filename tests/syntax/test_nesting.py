"""Depth and size of types and attributes: those of the tree of their parts, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from stablehlo_py.ir.attributes import ArrayAttr, DictAttr, TypeAttr
from stablehlo_py.ir.types import F32, FunctionType, TensorType, TupleType
from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.read.literal_shapes import list_shape
from stablehlo_py.syntax.read.nesting import Nesting, nesting_of

LIST = ArrayAttr((TypeAttr(F32), TypeAttr(F32)))  # a list, two attributes, and a type in each
PAIR = TupleType((F32, TupleType((F32,))))


@pytest.mark.parametrize(
    ("value", "depth", "size"),
    [
        (F32, 1, 1),
        (TensorType((2,), F32), 1, 1),
        (TypeAttr(F32), 2, 2),
        (TupleType(()), 1, 1),
        (PAIR, 3, 4),
        (FunctionType((F32, F32), (F32,)), 2, 4),
        (FunctionType((), (PAIR,)), 4, 5),
        (FunctionType((PAIR,), ()), 4, 5),
        (LIST, 3, 5),
        (TensorType((2,), F32, LIST), 4, 6),
        (DictAttr((("a", TypeAttr(F32)), ("b", LIST))), 4, 8),
        ("text", 1, 1),
    ],
)
def test_a_value_and_its_parts(value: Any, depth: int, size: int) -> None:
    assert nesting_of(value, {}) == Nesting(depth, size)


def test_parts_that_are_known_are_not_visited() -> None:
    known = {id(PAIR): Nesting(10, 20)}
    assert nesting_of(TupleType((PAIR, F32)), known) == Nesting(11, 22)


def test_lists_are_nested_256_deep_at_most() -> None:
    assert list_shape("[" * 256 + "1, 2" + "]" * 256, 0) == (*[1] * 255, 2)
    with pytest.raises(SourceError, match="lists are nested deeper than 256"):
        list_shape("[" * 257 + "1, 2" + "]" * 257, 0)
