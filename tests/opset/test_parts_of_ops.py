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
from stablehlo_py.ir.types import (
    F32,
    I1,
    I32,
    I64,
    FutureType,
    IntegerType,
    QuantizedType,
    TensorType,
    TupleType,
    Type,
)
from stablehlo_py.opset import definition as definitions
from stablehlo_py.opset.calls import callee, symbol_references
from stablehlo_py.opset.classes import (
    ANY_TENSOR,
    BOOLEAN,
    FLOAT,
    INTEGER,
    PER_TENSOR_QUANTIZED_TENSOR,
    QUANTIZED_TENSOR,
    TUPLE,
    static_or_bounded,
    tensor_of,
)
from stablehlo_py.opset.constants import constant_ops, is_number
from stablehlo_py.opset.definition import OpDef, Operand, lookup
from stablehlo_py.opset.effects import is_dead, is_pure
from stablehlo_py.opset.kinds import make_struct
from stablehlo_py.opset.op_inputs import groups, make_properties, stored_value, successor_operands
from stablehlo_py.opset.structures import FASTMATH, OVERFLOW, STRUCTS
from stablehlo_py.opset.type_rules import type_violations
from stablehlo_py.syntax.parser import parse_module, parse_type

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


def first_ops(lines: str) -> list[Operation]:
    """The ops of a function with these lines, behind those of arguments."""
    arguments = "%x: tensor<f32>, %p: tensor<i1>, %t: !stablehlo.token"
    text = f"func.func @main({arguments}) {{\n{lines}\nreturn\n}}"
    return parse_module(text, allow_unregistered=True).functions["main"].entry_block.ops


LOOP = """%0 = stablehlo.while(%i = %x) : tensor<f32> cond {{
  stablehlo.return %p : tensor<i1>
}} do {{
  {}
  stablehlo.return %i : tensor<f32>
}}"""
CUSTOM = '%0 = "stablehlo.custom_call"(%x) <{{call_target_name = "f"{}}}> : (tensor<f32>) -> tensor<f32>'
INFEED = '%1 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> !stablehlo.token'


@pytest.mark.parametrize(
    ("line", "pure", "with_calls", "dead"),
    [
        ("%0 = stablehlo.negate %x : tensor<f32>", True, True, True),
        (CUSTOM.format(""), True, True, True),
        (CUSTOM.format(", has_side_effect = false"), True, True, True),
        (CUSTOM.format(", has_side_effect = true"), False, False, False),
        ("func.call @f() : () -> ()", False, True, False),
        (INFEED, False, False, False),
        ('"a.b"() : () -> ()', False, False, False),
        (LOOP.format(""), True, True, True),
        (LOOP.format("%1 = stablehlo.negate %x : tensor<f32>"), True, True, True),
        (LOOP.format(INFEED), False, False, False),
        (LOOP.format("func.call @f() : () -> ()"), False, True, False),
        (LOOP.format('"a.b"() : () -> ()'), False, False, False),
    ],
)
def test_effects(line: str, pure: bool, with_calls: bool, dead: bool) -> None:
    op, end = first_ops(line)
    assert (is_pure(op), is_pure(op, calls=True), is_dead(op)) == (pure, with_calls, dead)
    assert is_pure(end) and not is_dead(end)
    if op.results:
        Operation("a.use", op.results)
        assert not is_dead(op)


def test_symbols_are_never_dead() -> None:
    module = parse_module('sdy.mesh @m = <["x"=2]>\nfunc.func private @f()\nmodule {\n}')
    assert [is_dead(op) for op in module.body.ops] == [False, False, False]


def test_symbols_that_attributes_refer_to() -> None:
    sharding = "#sdy.sharding_per_value<[<@mesh, []>]>"
    (op, _) = first_ops(
        f'"a.b"() <{{a = @f::@g}}> {{b = [@h, {{k = @i, l = 1}}], sdy.sharding = {sharding}}} : () -> ()'
    )
    assert sorted(symbol_references(op)) == ["f", "g", "h", "i"]


@pytest.mark.parametrize(
    ("kinds", "count", "sizes", "expected"),
    [  # kinds of parts: one, any number, or at most one
        ("11", 2, None, [1, 1]),
        ("1*", 1, None, [1, 0]),
        ("1*", 2, None, [1, 1]),
        ("*1", 4, None, [3, 1]),
        ("**", 4, None, [2, 2]),
        ("1**", 5, None, [1, 2, 2]),
        ("1??", 1, None, [1, 0, 0]),
        ("1??", 2, None, [1, 1, 0]),
        ("1??", 3, None, [1, 1, 1]),
        ("?1", 1, None, [0, 1]),
        ("**", 2, (2, 0), [2, 0]),
        ("**", 3, (1, 2), [1, 2]),
        ("1*?", 3, (1, 2, 0), [1, 2, 0]),
        ("1*?", 3, (1, 1, 1), [1, 1, 1]),
    ],
)
def test_operands_by_parts(
    kinds: str, count: int, sizes: tuple[int, ...] | None, expected: list[int]
) -> None:
    parts = [
        Operand(f"p{at}", ANY_TENSOR, variadic=kind == "*", optional=kind == "?")
        for at, kind in enumerate(kinds)
    ]
    given = {} if sizes is None else {"operandSegmentSizes": DenseArrayAttr(I32, sizes)}
    op = Operation("a.b", [Value(F32) for _ in range(count)], properties=given)
    found = groups(op, "operand", op.operands, parts)
    assert list(map(len, found)) == expected
    assert [value for group in found for value in group] == list(op.operands)


def test_operands_of_successors() -> None:
    text = """func.func @f(%n: i32, %a: f32, %b: f32, %c: f32) {
  cf.switch %n : i32, [default: ^d, 4: ^e(%a : f32), 7: ^g(%b, %c : f32, f32)]
^d:
  return
^e(%x: f32):
  return
^g(%y: f32, %z: f32):
  return
}"""
    op = parse_module(text).functions["f"].entry_block.ops[0]
    found = definitions.lookup("cf.switch")
    assert found is not None
    names = [[value.name for value in group] for group in successor_operands(op, found)]
    assert names == [[], ["a"], ["b", "c"]]


LARGEST, LEAST = float(np.finfo(np.float32).max), float(np.float32(1e-45))


@pytest.mark.parametrize(
    ("parts", "labels"),
    [
        ((I8, F32, (0.5,), (0,), -128, 127), []),
        ((I8, F32, (0.5,), (0,), -129, 127), ["C3"]),
        ((I8, F32, (0.5,), (0,), -128, 128), ["C3"]),
        ((I8, F32, (0.5,), (0,), 0, 0), ["C3"]),
        ((I8, F32, (0.5,), (0,), 0, 1), []),
        ((I8, F32, (0.5,), (1,), 0, 1), []),
        ((I8, F32, (0.5,), (2,), 0, 1), ["C7"]),
        ((I8, F32, (0.5,), (-1,), 0, 1), ["C7"]),
        ((I32, F32, (0.5,), (0,), -128, 127), ["C1 of the source edition"]),
        ((IntegerType(16), F32, (0.5,), (0,), -128, 127), []),
        ((I8, F32, (LARGEST,), (0,), -128, 127), []),
        ((I8, F32, (LARGEST * 1.01,), (0,), -128, 127), ["C6"]),
        ((I8, F32, (float("inf"),), (0,), -128, 127), ["C6"]),
        ((I8, F32, (LEAST,), (0,), -128, 127), []),
        ((I8, F32, (LEAST / 4,), (0,), -128, 127), ["C6"]),
        ((I8, F32, (0.0,), (0,), -128, 127), ["C5"]),
        ((I8, F32, (-0.5,), (0,), -128, 127), ["C5"]),
        ((I8, F32, (float("nan"),), (0,), -128, 127), ["C5"]),
        ((I8, F32, (0.5, 1.0), (0, 0), -128, 127), ["C10"]),
        ((I8, F32, (0.5, 1.0), (0, 0), -128, 127, 0), []),
        ((I8, F32, (0.5, 1.0), (0,), -128, 127, 0), ["C9"]),
        ((I8, F32, (0.5, 1.0), (0, 0), -128, 127, -1), ["C11"]),
        ((I8, F32, (0.5, 1.0), (0, 0), -128, 127, None, ((0, 1),), (2,)), []),
        ((I8, F32, (0.5, 1.0), (0, 0), -128, 127, 1), ["C12"]),
        ((I8, F32, (0.5, 1.0, 2.0), (0, 0, 0), -128, 127, 0), ["C13"]),
    ],
)
def test_quantized_tensors(parts: tuple[Any, ...], labels: list[str]) -> None:
    """Of two elements, by themselves and in tuples and futures; of an unknown size, any number of scales."""
    element = QuantizedType(*parts)
    type = TensorType((2,), element)
    for each in (type, TupleType((TensorType((), F32), type)), FutureType((type,))):
        assert [v.label for v in type_violations(each)] == labels
    unknown = [v.label for v in type_violations(TensorType((None,), element))]
    assert unknown == [label for label in labels if label != "C13"]


@pytest.mark.parametrize(
    ("type", "is_wrong"),
    [
        (TensorType((0, 2), F32), False),
        (TensorType((-1, 2), F32), True),
        (FutureType((TensorType((), F32), I32)), True),
        (TupleType((I32, TupleType(()))), False),
        (TupleType((TupleType((TensorType((-1,), F32),)),)), True),
    ],
)
def test_sizes_and_parts_of_types(type: Type, is_wrong: bool) -> None:
    assert len([*type_violations(type)]) == is_wrong


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("tensor<2xi1>", "any"),
        ("tensor<2x!quant.uniform<i8:f32, 0.5:-128>>", "any per-tensor quantized"),
        ("tensor<2x!quant.uniform<u16:f32, 0.5>>", "any per-tensor quantized"),
        ("tensor<2x!quant.uniform<i32:f64, 0.5>>", "any per-tensor quantized"),
        ("tensor<2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>", "any quantized"),
        ("tensor<?x!quant.uniform<i8:f32:0, {0.5, 1.0}>>", "any quantized"),
        ("tensor<3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>", ""),
        ("tensor<2x!quant.uniform<i8:f32:1, {0.5, 1.0}>>", ""),
        ("tensor<2x!quant.uniform<i8:f32, 0.5:128>>", ""),
        ("tensor<2x!quant.uniform<i8:f32:{0:1}, {0.5, 1.0}>>", ""),
    ],
)
def test_classes_of_quantized_tensors(text: str, classes: str) -> None:
    type = parse_type(text)
    assert ANY_TENSOR.contains(type) is ("any" in classes)
    assert PER_TENSOR_QUANTIZED_TENSOR.contains(type) is ("per-tensor" in classes)
    assert QUANTIZED_TENSOR.contains(type) is ("quantized" in classes)


@pytest.mark.parametrize(
    ("text", "is_in"),
    [
        ("tuple<>", True),
        ("tuple<tensor<f32>, !stablehlo.token>", True),
        ("tuple<tuple<tensor<f32>>, memref<2xf32>>", True),
        ("tuple<tuple<i32>>", False),
        ("tuple<tensor<f32>, i32>", False),
        ("tensor<f32>", False),
    ],
)
def test_tuples_of_values(text: str, is_in: bool) -> None:
    assert TUPLE.contains(parse_type(text)) is is_in


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_tensors_of_a_rank(rank: int) -> None:
    types = [TensorType((2,) * each, F32) for each in range(4)]
    assert [tensor_of(FLOAT, rank=rank).contains(type) for type in types] == [n == rank for n in range(4)]
