"""Types, in every spelling."""

from __future__ import annotations

import pytest

from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.ir import types as T
from stablehlo_py.ir.attributes import OpaqueAttr, StructAttr
from stablehlo_py.syntax.parser import parse_type

I8, UI8 = T.IntegerType(8), T.IntegerType(8, "u")
SCALAR, FLAGS, BYTES = T.TensorType((), T.F32), T.TensorType((3,), T.I1), T.TensorType((2,), I8)
BOUNDS = StructAttr("stablehlo.bounds", (("bounds", (None, 4)),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i1", T.I1),
        ("ui8", UI8),
        ("si8", T.IntegerType(8, "s")),
        ("bf16", T.FloatType("bf16")),
        ("f8E4M3B11FNUZ", T.FloatType("f8E4M3B11FNUZ")),
        ("index", T.INDEX),
        ("none", T.NoneType()),
        ("complex<f64>", T.ComplexType(T.F64)),
        ("tensor<f32>", T.TensorType((), T.F32)),
        ("tensor<2x?x0xi32>", T.TensorType((2, None, 0), T.I32)),
        ("tensor< 2 x 3 x f32 >", T.TensorType((2, 3), T.F32)),
        ("tensor<4xcomplex<f32>>", T.TensorType((4,), T.ComplexType(T.F32))),
        ("tensor<*xf32>", T.UnrankedTensorType(T.F32)),
        ("tensor<2x?xf32, #stablehlo.bounds<?, 4>>", T.TensorType((2, None), T.F32, BOUNDS)),
        (
            "tensor<2x?xf32, #stablehlo.type_extensions<bounds = [?, 4]>>",
            T.TensorType((2, None), T.F32, BOUNDS),
        ),
        (
            "tensor<4xf32, #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>>",
            T.TensorType((4,), T.F32, OpaqueAttr("#sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>")),
        ),
        ("memref<2x3xf32>", T.MemRefType((2, 3), T.F32)),
        ("tuple<>", T.TupleType(())),
        ("tuple<tensor<f32>, tuple<i1>>", T.TupleType((T.TensorType((), T.F32), T.TupleType((T.I1,))))),
        ("!stablehlo.token", T.TOKEN),
        ("!stablehlo.future<tensor<2xf32>>", T.FutureType((T.TensorType((2,), T.F32),))),
        ('!other.type<a -> b, ">">', T.OpaqueType('!other.type<a -> b, ">">')),
        ("vector<4xf32>", T.OpaqueType("vector<4xf32>")),
        ("() -> ()", T.FunctionType((), ())),
        ("(tensor<3xi1>, tensor<f32>) -> tensor<2xi8>", T.FunctionType((FLAGS, SCALAR), (BYTES,))),
        ("(tensor<f32>) -> (tensor<2xi8>, tensor<f32>)", T.FunctionType((SCALAR,), (BYTES, SCALAR))),
        ("(tensor<3xi1>) -> ()", T.FunctionType((FLAGS,), ())),
        ("(tensor<f32>) -> (i1, i32)", T.FunctionType((T.TensorType((), T.F32),), (T.I1, T.I32))),
        ("(i1) -> tensor<f32>", T.FunctionType((T.I1,), (T.TensorType((), T.F32),))),
    ],
)
def test_type(text: str, expected: T.Type) -> None:
    assert parse_type(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i8:f32, 0.5", T.QuantizedType(I8, T.F32, (0.5,), (0,), -128, 127)),
        ("i8:f32, 0.5:-3", T.QuantizedType(I8, T.F32, (0.5,), (-3,), -128, 127)),
        ("u8:f32, 2.0:1", T.QuantizedType(UI8, T.F32, (2.0,), (1,), 0, 255)),
        ("i8<-127:127>:f32, 0.5", T.QuantizedType(I8, T.F32, (0.5,), (0,), -127, 127)),
        ("i8:f32:1, {0.5, 0.25:7}", T.QuantizedType(I8, T.F32, (0.5, 0.25), (0, 7), -128, 127, 1)),
        (
            "i8:f32:{0:1, 1:2}, {{1.0, 2.0}, {3.0, 4.0:5}}",
            T.QuantizedType(
                I8,
                T.F32,
                (1.0, 2.0, 3.0, 4.0),
                (0, 0, 0, 5),
                -128,
                127,
                None,
                ((0, 1), (1, 2)),
                (2, 2),
            ),
        ),
    ],
)
def test_quantized_type(text: str, expected: T.Type) -> None:
    assert parse_type(f"!quant.uniform<{text}>") is expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tensor<4xf32", "not closed"),
        ('tensor<2x!quant.uniform<i8"<5:5>:f32, 1.0>>', "not closed"),
        ("tensor<4xg32>", "unknown type 'g32'"),
        ("tensor<2x3>", "expected"),
        ("tensor<99999999999999999999xf32>", "too large"),
        ("tensor<2x*xf32>", "only dimension"),
        ("tensor<2x() -> ()>", "element type"),
        ("i99999999", "limited"),
        ("complex<index>", "complex"),
        ("!stablehlo.nothing", "unknown type"),
        ("!stablehlo.future<i32>", "the types of a future must be ranked tensors"),
        ("!undefined", "undefined type alias !undefined"),
        ("tensor<?x4xf32, #stablehlo.bounds<3>>", "the number of bounds (1) must be the rank (2)"),
        ("tensor<?x4xf32, #stablehlo.bounds<3, 4>>", "static dimension 1 cannot have a bound"),
        ("!quant.uniform<i64:f32, 0.5>", "storage type"),
        ("!quant.uniform<i8<-129:127>:f32, 0.5>", "(C3): -128 <= storage_min < storage_max <= 127"),
        ("!quant.uniform<i8:i32, 0.5>", "expressed"),
        ("!quant.uniform<i8:f32, -0.5>", "(C5): 0 < scales"),
        ("!quant.uniform<i8:f32:0, 0.5>", "do not fit"),
        ("!quant.uniform<i8:f32, {0.5}>", "do not fit"),
        ("tuple<" * 100 + ">" * 100, "nested deeper than 64"),
    ],
)
def test_type_that_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_type(text)
    assert words in caught.value.diagnostics[0].message


def test_types_are_shared() -> None:
    assert parse_type("tensor<2xf32>") is parse_type("tensor<2xf32>") is T.TensorType((2,), T.F32)
