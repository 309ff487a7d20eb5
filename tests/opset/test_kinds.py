"""Attribute kinds: accepted attributes, and descriptions."""

from __future__ import annotations

import numpy as np
import pytest

from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DictAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    OpaqueAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
    integer,
)
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.types import F32, F64, I1, I32, I64, INDEX, FunctionType, IntegerType, TensorType
from stablehlo_py.opset import attribute_conversion
from stablehlo_py.opset.definition import lookup
from stablehlo_py.opset.kinds import KINDS, kind_of
from stablehlo_py.opset.op_inputs import stored_value
from stablehlo_py.opset.search import belongs_here, find_definition, nearest

HIGH = EnumAttr("stablehlo.precision", "HIGH")
PAIRS = DenseElementsAttr(TensorType((1, 2), I64), np.array([0, 1], np.int64))
LAYOUT = DenseElementsAttr(TensorType((2,), INDEX), np.array([0, 1], np.int64))
MESH_AXES = StructAttr("stablehlo.replica_group_mesh_axes", ())
GROUPS = "elements i64 or struct stablehlo.replica_group_mesh_axes"

ACCEPTED: list[tuple[str, Attribute]] = [
    ("i64", integer(-1)),
    ("i64 >= 0", integer(0)),
    ("i32 > 0", integer(1, 32)),
    ("i32 >= 0", integer(0, 32)),
    ("i64 > 0", integer(1)),
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
    ("i32 > 0", integer(0, 32)),
    ("i32 > 0", integer(1)),
    ("i32 >= 0", integer(-1, 32)),
    ("ui64", integer(1)),
    ("bool", IntegerAttr(1, I32)),
    ("f32", FloatAttr(1.0, F64)),
    ("symbol", SymbolRefAttr("name", ("nested",))),
    ("function type", TypeAttr(F32)),
    ("array<i64>", DenseArrayAttr(I32, (1, 2))),
    ("elements i64", LAYOUT),
    ("layout", PAIRS),
    ("layout", DenseElementsAttr(TensorType((1, 2), INDEX), np.array([0, 1], np.int64))),
    ("enum stablehlo.precision", EnumAttr("chlo.precision", "HIGH")),
    ("enum stablehlo.precision", EnumAttr("stablehlo.precision", "HIGHER")),
    ("array of enum stablehlo.precision", ArrayAttr((HIGH, StringAttr("HIGH")))),
    ("enum stablehlo.custom_call_api_version", integer(5, 32)),
    ("enum stablehlo.custom_call_api_version", integer(-1, 32)),
    ("enum stablehlo.custom_call_api_version", integer(4)),
    ("struct stablehlo.dot", MESH_AXES),
    ("string or dict", UnitAttr()),
]


@pytest.mark.parametrize(("text", "attribute"), ACCEPTED)
def test_accepts(text: str, attribute: Attribute) -> None:
    assert kind_of(text).contains(attribute)


@pytest.mark.parametrize(("text", "attribute"), REFUSED)
def test_refuses(text: str, attribute: Attribute) -> None:
    assert not kind_of(text).contains(attribute)


@pytest.mark.parametrize(("text", "attribute"), ACCEPTED)
def test_python_values_make_the_attribute_again(text: str, attribute: Attribute) -> None:
    if attribute is not MESH_AXES:
        kind = kind_of(text)
        made = kind.make(kind.to_python(attribute), "it")
        assert kind.contains(made)
        assert made == attribute or text in ("number", "any")  # those whose type their value does not say


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("enum stablehlo.custom_call_api_version", integer(4, 32), "API_VERSION_TYPED_FFI"),
        ("enum stablehlo.custom_call_api_version", integer(9, 32), 9),
        ("enum stablehlo.custom_call_api_version", integer(-1, 32), -1),
        ("string or sizes", DenseArrayAttr(I64, (3, -(2**63))), (3, None)),
        ("sizes or string", StringAttr("text"), "text"),
        ("array of enum stablehlo.precision", ArrayAttr((HIGH,)), ("HIGH",)),
        ("array<i64>", DenseElementsAttr(TensorType((2,), I64), np.array([3, 4])), (3, 4)),
        ("sizes", DenseArrayAttr(I64, (3, -(2**63))), (3, None)),
        ("unit", UnitAttr(), True),
        ("any", SymbolRefAttr("a", ("b",)), "a::b"),
        ("enum sdy.reduction_op", integer(0, 32), "sum"),
        ("enum sdy.reduction_op", integer(1, 32), "max"),
        ("enum sdy.reduction_op", integer(2, 32), "min"),
        ("enum sdy.propagation_direction", integer(0, 32), "NONE"),
        ("enum sdy.propagation_direction", integer(1, 32), "FORWARD"),
        ("enum sdy.propagation_direction", integer(2, 32), "BACKWARD"),
        ("enum sdy.propagation_direction", integer(3, 32), "BOTH"),
    ],
)
def test_python_values(text: str, attribute: Attribute, value: object) -> None:
    assert kind_of(text).to_python(attribute) == value


@pytest.mark.parametrize(
    ("value", "attribute"),
    [(3, integer(3)), ("x", StringAttr("x")), (0.5, FloatAttr(0.5, F64))],
)
def test_a_value_makes_an_attribute_of_the_first_kind_that_takes_it(
    value: object, attribute: Attribute
) -> None:
    assert kind_of("i64 or string or f64").make(value, "it") == attribute


@pytest.mark.parametrize(
    ("kind", "value"), [("string", 5), ("string", b"x"), ("type", 5), ("function type", F32)]
)
def test_a_value_of_another_class_is_an_error(kind: str, value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        kind_of(kind).make(value, "it")


def test_a_value_of_another_kind_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^size must be a 64-bit integer of at least 0, not -1$"):
        kind_of("i64 >= 0").make(-1, "size")


def test_what_absent_attributes_are() -> None:
    """A flag is false; arithmetic of MLIR has flags, also where the text has none."""
    assert {name: kind.absent for name, kind in KINDS.items() if kind.absent is not None} == {"unit": False}
    filled_in = {name: str(kind.filled_in) for name, kind in KINDS.items() if kind.filled_in is not None}
    assert filled_in == {
        "overflow flags": "#arith.overflow<none>",
        "fastmath flags": "#arith.fastmath<none>",
    }


def test_older_spellings_become_current_ones() -> None:
    old = DenseElementsAttr(TensorType((2,), I64), np.array([3, 4]))
    assert kind_of("array<i64>").current(old) == DenseArrayAttr(I64, (3, 4))
    assert kind_of("elements").current(old) is old
    flags = kind_of("overflow flags").current(OpaqueAttr("#arith.overflow<nuw,  nsw>"))
    assert flags == OpaqueAttr("#arith.overflow<nsw, nuw>")


@pytest.mark.parametrize(
    ("text", "current"),
    [
        ("#arith.overflow<nuw, nsw>", "#arith.overflow<nsw, nuw>"),
        ("#arith.overflow<nsw,nsw>", "#arith.overflow<nsw>"),
        ("#arith.overflow<nuw>", "#arith.overflow<nuw>"),
        ("#arith.overflow<none>", "#arith.overflow<none>"),
        ("#arith.overflow<nuw, other>", "#arith.overflow<nuw, other>"),
        ("#arith.fastmath<nnan, reassoc>", "#arith.fastmath<nnan, reassoc>"),  # of another kind
    ],
)
def test_flags_once_and_in_order(text: str, current: str) -> None:
    """Also all of them; a text with a word that is no flag stays."""
    assert kind_of("overflow flags").current(OpaqueAttr(text)) == OpaqueAttr(current)


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("i64", "Int"),
        ("i64 or i32", "Int"),
        ("string or dict", "Str"),
        ("dict or string", "Str"),
        ("i64 or string", "Any"),
        ("i64 or string or dict", "Any"),
        (GROUPS, "Array"),
        ("array of layout", "List[Array]"),
        ("dict", "Any"),
    ],
)
def test_sorts(text: str, sort: str) -> None:
    """That of alternatives is the one that they have, where one alone has a sort."""
    assert kind_of(text).sort == sort


@pytest.mark.parametrize("text", ["i65", "enum stablehlo.colour", "struct stablehlo.nothing", "array of", ""])
def test_unknown_kinds_are_errors(text: str) -> None:
    with pytest.raises(ValueError, match="unknown attribute kind"):
        kind_of(text)


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("i64", ["i64"]),
        ("string or dict", ["string", "dict"]),
        ("array of bool", ["bool"]),
        ("array of string or i64", ["string", "i64"]),
    ],
)
def test_leaves(text: str, leaves: list[str]) -> None:
    assert [kind.name for kind in kind_of(text).leaves()] == leaves


def test_phrases() -> None:
    assert kind_of("enum stablehlo.precision").phrase == "one of DEFAULT, HIGH, HIGHEST"
    assert kind_of("enum stablehlo.precision").initial == "DEFAULT"
    assert kind_of("string or dict").phrase == "a string or a dictionary"
    assert kind_of("array of bool").phrase == "an array, each a boolean"


@pytest.mark.parametrize(
    ("attribute", "integers"),
    [
        (DenseArrayAttr(I64, (3, -1)), (3, -1)),
        (DenseArrayAttr(F32, (3.0,)), None),
        (DenseElementsAttr(TensorType((2,), I64), np.array([3, 4])), (3, 4)),
        (PAIRS, None),  # of rank 2
        (DenseElementsAttr(TensorType((1,), IntegerType(1)), np.array([True])), None),
        (DenseElementsAttr(TensorType((1,), F32), np.float32([1])), None),
        (ArrayAttr((integer(5), integer(6, 32))), (5, 6)),
        (ArrayAttr((integer(5), StringAttr("6"))), None),
        (ArrayAttr(()), ()),
        (integer(5), None),
    ],
)
def test_integers_of_lists(attribute: Attribute, integers: tuple[int, ...] | None) -> None:
    assert attribute_conversion.integers_in(attribute) == integers


@pytest.mark.parametrize("size", [3, 4])
def test_long_constants_are_no_lists(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attribute_conversion, "MOST_INTEGERS", 3)
    integers = DenseElementsAttr(TensorType((size,), I64), np.arange(size))
    flags = DenseElementsAttr(TensorType((size,), I1), np.ones(size, np.bool_))
    assert attribute_conversion.integers_in(integers) == ((0, 1, 2) if size == 3 else None)
    for kind, constant in (("array<i64>", integers), ("array<bool>", flags)):
        assert (kind_of(kind).current(constant) is constant) is (size > 3)


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("unit", False, "a unit attribute must be True or absent"),
        ("i64", True, "expected an integer, got a bool"),
        ("array<i64>", [1, True], "expected an integer, got a bool"),
        ("sizes", [None, True], "expected an integer, got a bool"),
        ("any", object, "cannot convert <class 'object'> to an attribute"),
        ("elements", np.array(["a"]), "no element type for dtype <U1"),
        ("overflow flags", "nsw", "expected an attribute, got 'nsw'"),
    ],
)
def test_values_that_make_no_attribute(kind: str, value: object, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        kind_of(kind).from_python(value)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("value", "attribute"),
    [
        (True, BoolAttr(True)),
        (3, integer(3)),
        (0.5, FloatAttr(0.5, F64)),
        ("a", StringAttr("a")),
        (F32, TypeAttr(F32)),
        (integer(3, 32), integer(3, 32)),
        ([1, "a"], ArrayAttr((integer(1), StringAttr("a")))),
        ({"b": 1, "a": ["x"]}, DictAttr((("a", ArrayAttr((StringAttr("x"),))), ("b", integer(1))))),
    ],
)
def test_attributes_of_python_values(value: object, attribute: Attribute) -> None:
    assert attribute_conversion.any_attribute(value) == attribute


def test_definitions_by_full_and_short_names() -> None:
    names = ["add", "stablehlo.add", "chlo.erf_inv", "func.call", "erf_inv", "chlo.x", ""]
    found = [find_definition(name) for name in names]
    assert [each and each.name for each in found] == [
        *("stablehlo.add", "stablehlo.add", "chlo.erf_inv", "func.call", "chlo.erf_inv", None, None),
    ]
    ours = ["stablehlo.x", "chlo.x", "func.x", "builtin.x", "sdy.x", "chlox.y", "x"]
    assert [belongs_here(name) for name in ours] == [True, True, True, True, False, False, False]


def test_nearest_names() -> None:
    assert nearest("stablehlo.dot_genral")[0] == "dot_general"
    assert nearest("dot_genral")[0] == "dot_general"
    assert nearest("chlo.erf_in")[0] == "chlo.erf_inv"
    assert nearest("erf_inw", 1) == ["chlo.erf_inv"]
    assert nearest("zzzzzz") == []


@pytest.mark.parametrize(
    ("attribute", "is_converted"),
    [
        (DenseElementsAttr(TensorType((2,), I1), np.array([True, False])), True),
        (DenseElementsAttr(TensorType((2,), I64), np.array([1, 0])), False),
        (DenseElementsAttr(TensorType((1, 2), I1), np.array([True, False])), False),
    ],
)
def test_older_forms_of_lists_of_booleans(attribute: DenseElementsAttr, is_converted: bool) -> None:
    """A tensor of one dimension is a list, as in older programs."""
    expected = DenseArrayAttr(I1, (True, False)) if is_converted else attribute
    assert kind_of("array<bool>").current(attribute) == expected


def test_a_structure_without_a_field() -> None:
    definition = lookup("stablehlo.gather")
    assert definition is not None
    (attr,) = [attr for attr in definition.attrs if attr.name == "offset_dims"]
    for fields, value in (((("offset_dims", (1,)),), (1,)), ((), None)):
        op = Operation(
            "stablehlo.gather", (), (), {"dimension_numbers": StructAttr("stablehlo.gather", fields)}
        )
        assert stored_value(op, attr) == value
