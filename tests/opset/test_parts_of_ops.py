"""Parts of ops by their definitions: constants that are numbers, callees, stored inputs, properties."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.ir.attributes import (
    Attribute,
    DenseArrayAttr,
    DenseElementsAttr,
    StringAttr,
    StructAttr,
    SymbolRefAttr,
)
from stablehlo_py.ir.core import Operation, Value
from stablehlo_py.ir.element_types import element_type_of
from stablehlo_py.ir.types import F32, I1, I32, I64, IntegerType, QuantizedType, TensorType, Type
from stablehlo_py.opset import definition as definitions
from stablehlo_py.opset.calls import callee
from stablehlo_py.opset.classes import ANY_TENSOR, BOOLEAN, FLOAT, INTEGER, static_or_bounded, tensor_of
from stablehlo_py.opset.constants import constant_ops, is_number
from stablehlo_py.opset.definition import OpDef, lookup
from stablehlo_py.opset.kinds import make_struct
from stablehlo_py.opset.op_inputs import make_properties, stored_value
from stablehlo_py.opset.structures import FASTMATH, OVERFLOW, STRUCTS
from stablehlo_py.opset.type_rules import type_violations
from stablehlo_py.syntax.parser import parse_type

I8 = IntegerType(8)


def definition(name: str) -> OpDef:
    found = lookup(f"stablehlo.{name}")
    assert found is not None
    return found


def constant(array: Any) -> Value:
    array = np.asarray(array)
    row = element_type_of(array.dtype)
    assert row is not None
    type = TensorType(array.shape, row.type)
    value = DenseElementsAttr(type, array.reshape(-1))
    return Operation("stablehlo.constant", result_types=[type], properties={"value": value}).results[0]


@pytest.mark.parametrize(
    ("array", "numbers"),
    [  # the numbers of -1, 0, 1 and 2 that all elements are
        (np.array([True, True]), [-1, 1]),
        (np.array([False, False]), [0]),
        (np.array([True, False]), []),
        (np.uint8([255, 255]), [-1]),
        (np.uint8([1]), [1]),
        (np.int8([-1]), [-1]),
        (np.int32([2, 2]), [2]),
        (np.int32([2, 1]), []),
        (np.float32([1, 1]), [1]),
        (np.float32(-0.0), [0]),
        (np.array([2], ml_dtypes.bfloat16), [2]),
        (np.complex64([1]), []),
        (np.float32([]), []),
    ],
)
def test_constants_that_are_a_number(array: Any, numbers: list[int]) -> None:
    assert [n for n in (-1, 0, 1, 2) if is_number(constant(array), n)] == numbers


def test_values_that_are_no_constants() -> None:
    other = Operation("stablehlo.iota", result_types=[TensorType((2,), F32)]).results[0]
    assert not is_number(other, 0)
    assert {"stablehlo.constant", "chlo.constant", "sdy.constant", "shape.const_shape"} <= constant_ops()


def test_callees() -> None:
    for attribute in (SymbolRefAttr("f"), StringAttr("f")):
        assert callee(Operation("func.call", properties={"callee": attribute})) == "f"
        assert callee(Operation("stablehlo.add", properties={"callee": attribute})) is None
        assert callee(Operation("other.call", properties={"callee": attribute})) is None
    assert callee(Operation("func.call")) is None


@pytest.mark.parametrize(
    ("attribute", "is_absent"),
    [
        (DenseArrayAttr(I64, ()), True),
        (DenseArrayAttr(I64, (1,)), False),
        (DenseElementsAttr(TensorType((0, 2), I64), np.int64([])), True),
        (DenseElementsAttr(TensorType((1, 2), I64), np.int64([0, 0])), False),
        (DenseElementsAttr(TensorType((0, 3), I64), np.int64([])), False),
    ],
)
def test_empty_lists_that_stand_for_a_default(attribute: Attribute, is_absent: bool) -> None:
    attrs = {attr.name: attr for attr in definition("convolution").attrs}
    for name in ("window_strides", "padding", "rhs_dilation"):
        op = Operation("stablehlo.convolution", properties={name: attribute})
        assert stored_value(op, attrs[name]) is (None if is_absent else attribute)
    precision = attrs["feature_group_count"]  # of which an empty list is a value
    assert stored_value(Operation("a.b", properties={precision.property: attribute}), precision) is attribute


def test_properties_of_python_values() -> None:
    """A value that is None is absent; a structure is given whole, or by its fields."""
    channel = make_struct(STRUCTS["stablehlo.channel_handle"], {"handle": 3, "type": 1})
    send = definition("send")
    by_fields = make_properties(send, {"channel_id": 3, "channel_type": 1, "is_host_transfer": None})
    assert by_fields == make_properties(send, {"channel_handle": channel}) == {"channel_handle": channel}
    assert make_properties(send, {"channel_id": 3}) == {
        "channel_handle": StructAttr("stablehlo.channel_handle", (("handle", 3), ("type", 0)))
    }
    sizes = {"operandSegmentSizes": (1, 2)}
    assert make_properties(send, sizes) == {"operandSegmentSizes": DenseArrayAttr(I32, (1, 2))}
    with pytest.raises(
        ValueError, match=r"^stablehlo\.send has no input chanel_id; did you mean channel_id\?$"
    ):
        make_properties(send, {"chanel_id": 3})
    with pytest.raises(ValueError, match=r"^stablehlo\.send has no input zzz$"):
        make_properties(send, {"zzz": 3})


def test_fields_without_a_value() -> None:
    """Of numbers, lists and words, the first; of others, an error; of what texts may omit, its default."""
    with pytest.raises(ValueError, match=r"^#stablehlo\.mesh_axis requires name$"):
        make_struct(STRUCTS["stablehlo.mesh_axis"], {"size": 2})
    assert make_struct(STRUCTS["stablehlo.mesh_axis"], {"name": "x"}).fields == (("name", "x"), ("size", 0))
    accuracy = make_struct(STRUCTS["stablehlo.result_accuracy"], {"ulps": 2})
    assert accuracy.fields == (("atol", 0.0), ("rtol", 0.0), ("ulps", 2), ("mode", "DEFAULT"))
    dimension = make_struct(STRUCTS["sdy.dimension_sharding"], {"axes": [], "is_closed": True})
    assert dimension.fields == (("axes", ()), ("is_closed", True), ("priority", None))
    alias = make_struct(STRUCTS["stablehlo.output_operand_alias"], {"output_tuple_indices": [1]})
    assert alias.fields == (
        ("output_tuple_indices", (1,)), ("operand_index", 0), ("operand_tuple_indices", ()),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "#arith.fastmath<none>"),
        (["afn", "nnan"], "#arith.fastmath<nnan,afn>"),
        (["fast"], "#arith.fastmath<fast>"),
        (["fast", "nnan"], "#arith.fastmath<fast>"),
        (["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"], "#arith.fastmath<fast>"),
        (
            ["reassoc", "nnan", "ninf", "nsz", "arcp", "contract"],
            "#arith.fastmath<reassoc,nnan,ninf,nsz,arcp,contract>",
        ),
    ],
)
def test_flags(words: list[str], text: str) -> None:
    """All flags have one word in `fastmath`, and none in `overflow`."""
    assert FASTMATH.text(words) == text
    assert OVERFLOW.text(["nuw", "nsw"]) == "#arith.overflow<nsw, nuw>"


@pytest.mark.parametrize(
    ("type", "is_in"),
    [
        ("tensor<2x3xf32>", True),
        ("tensor<?x3xf32, #stablehlo.bounds<4, ?>>", True),
        ("tensor<?x3xf32>", False),
        ("tensor<?x?xf32, #stablehlo.bounds<4, ?>>", False),
        ("tensor<?x?xf32, #stablehlo.bounds<4, 5>>", False),
        ("tensor<*xf32>", False),
        ("!stablehlo.token", False),
    ],
)
def test_types_of_one_bounded_size_at_most(type: str, is_in: bool) -> None:
    assert static_or_bounded(ANY_TENSOR).contains(parse_type(type)) is is_in


def test_words_of_tensors() -> None:
    """Those of the specification: the rank, where it is one, and the element types."""
    assert tensor_of(FLOAT).phrase == "tensor of floating-point type"
    assert (
        tensor_of(BOOLEAN, FLOAT, rank=0).phrase == "0-dimensional tensor of boolean or floating-point type"
    )
    assert tensor_of(INTEGER, rank=1).phrase == "1-dimensional tensor of integer type"


def test_bounds_of_another_number() -> None:
    encoding = make_struct(STRUCTS["stablehlo.bounds"], {"bounds": (4,)})
    (found,) = type_violations(TensorType((None, None), F32, encoding))
    assert (found.label, found.message) == ("", "the number of bounds (1) must be the rank (2)")


def test_quantized_types_of_other_storage() -> None:
    """The first fault alone: what follows compares numbers of bits."""

    def quantized(storage: Type, expressed: Type) -> list[str]:
        return [v.label for v in type_violations(QuantizedType(storage, expressed, (0.5,), (0,), -128, 127))]

    assert quantized(TensorType((), F32), F32) == ["C1"]
    assert quantized(I8, I32) == ["C4"]
    assert quantized(I8, F32) == []
    assert quantized(I1, F32) != []


@pytest.mark.parametrize(
    ("name", "computes"),
    [("add", True), ("dot_general", True), ("sort", True), ("reshape", False), ("broadcast_in_dim", False)],
)
def test_ops_that_compute(name: str, computes: bool) -> None:
    assert definition(name).computes is computes


def test_labels_of_the_source_edition() -> None:
    """Rules of upstream and of a run have none, nor have ops that the edition does not have."""
    labels = ("C1", "C3", "C4", "C7", "U1", "R1")
    moved = OpDef(name="a.b", section="b", source_labels="C3=C5 C4= R1=C9")
    assert [moved.source_label(each) for each in labels] == ["C1", "C5", "", "C7", "", "C9"]
    for other in (OpDef(name="a.b"), OpDef(name="a.b", section="b", source_labels=None)):
        assert [other.source_label(each) for each in labels] == [""] * len(labels)


def test_what_depends_on_all_definitions_is_made_anew_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_registry", "_families", "_family_of", "_extensions", "_caches"):
        value = getattr(definitions, name)
        monkeypatch.setattr(definitions, name, {**value} if isinstance(value, dict) else [])
    made: list[str] = []
    first, second = (
        definitions.cached_per_registry(lambda name=name: made.append(name))  # type: ignore[misc]
        for name in ("first", "second")
    )
    for _ in range(2):
        first(), second(), first(), second()
        definitions.define(OpDef(name=f"a.b{len(made)}"))
    assert made == ["first", "second"] * 2
    assert [each.name for each in definitions.extensions()] == ["a.b2", "a.b4"]
