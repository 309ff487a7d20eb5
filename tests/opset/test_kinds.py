"""Kinds of attributes: what each takes, and what it calls itself."""

from __future__ import annotations

import numpy as np
import pytest

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
    integer,
)
from stablehlo_py.ir.types import F32, F64, I32, I64, INDEX, FunctionType, TensorType
from stablehlo_py.opset.kinds import kind

HIGH = EnumAttr("stablehlo.precision", "HIGH")
PAIRS = DenseElementsAttr(TensorType((1, 2), I64), np.array([0, 1], np.int64))
LAYOUT = DenseElementsAttr(TensorType((2,), INDEX), np.array([0, 1], np.int64))
MESH_AXES = StructAttr("stablehlo.replica_group_mesh_axes", ())
GROUPS = "elements i64 or struct stablehlo.replica_group_mesh_axes"

ACCEPTED: list[tuple[str, Attribute]] = [
    ("i64", integer(-1)),
    ("i64 >= 0", integer(0)),
    ("i32 > 0", integer(1, 32)),
    ("bool", BoolAttr(False)),
    ("unit", UnitAttr()),
    ("f32", FloatAttr(1.0, F32)),
    ("number", FloatAttr(1.0, F64)),
    ("string", StringAttr("text")),
    ("symbol", SymbolRefAttr("name")),
    ("type", TypeAttr(F32)),
    ("function type", TypeAttr(FunctionType((), ()))),
    ("array<i64>", DenseArrayAttr(I64, (1, 2))),
    ("elements", PAIRS),
    ("elements i64", PAIRS),
    ("layout", LAYOUT),
    ("array of layout", ArrayAttr((LAYOUT, LAYOUT))),
    ("enum stablehlo.precision", HIGH),
    ("array of enum stablehlo.precision", ArrayAttr((HIGH, HIGH))),
    ("array of enum stablehlo.precision", ArrayAttr(())),
    ("enum stablehlo.custom_call_api_version", integer(4, 32)),
    ("string or dict", StringAttr("text")),
    (GROUPS, PAIRS),
    (GROUPS, MESH_AXES),
    ("any", StringAttr("text")),
]
REFUSED: list[tuple[str, Attribute]] = [
    ("i64", integer(1, 32)),
    ("i64 >= 0", integer(-1)),
    ("i64 > 0", integer(0)),
    ("bool", IntegerAttr(1, I32)),
    ("f32", FloatAttr(1.0, F64)),
    ("symbol", SymbolRefAttr("name", ("nested",))),
    ("function type", TypeAttr(F32)),
    ("array<i64>", DenseArrayAttr(I32, (1, 2))),
    ("elements i64", LAYOUT),
    ("layout", PAIRS),
    ("enum stablehlo.precision", EnumAttr("chlo.precision", "HIGH")),
    ("enum stablehlo.precision", EnumAttr("stablehlo.precision", "HIGHER")),
    ("array of enum stablehlo.precision", ArrayAttr((HIGH, StringAttr("HIGH")))),
    ("enum stablehlo.custom_call_api_version", integer(5, 32)),
    ("struct stablehlo.dot", MESH_AXES),
    ("string or dict", UnitAttr()),
]


@pytest.mark.parametrize(("text", "attribute"), ACCEPTED)
def test_accepts(text: str, attribute: Attribute) -> None:
    assert kind(text).contains(attribute)


@pytest.mark.parametrize(("text", "attribute"), REFUSED)
def test_refuses(text: str, attribute: Attribute) -> None:
    assert not kind(text).contains(attribute)


@pytest.mark.parametrize("text", ["i65", "enum stablehlo.colour", "struct stablehlo.nothing", "array of", ""])
def test_unknown_kinds_are_errors(text: str) -> None:
    with pytest.raises(ValueError, match="there is no kind"):
        kind(text)


def test_phrases() -> None:
    assert kind("enum stablehlo.precision").phrase == "one of DEFAULT, HIGH, HIGHEST"
    assert kind("string or dict").phrase == "a string or a dictionary"
    assert kind("array of bool").phrase == "an array, each a boolean"
