"""Printing of types, numbers and attributes, compared with MLIR's printer."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.attributes import (
    ArrayAttr,
    Attribute,
    BoolAttr,
    DenseArrayAttr,
    DenseElementsAttr,
    DenseResourceAttr,
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
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import (
    F32,
    F64,
    I1,
    I32,
    I64,
    INDEX,
    TOKEN,
    ComplexType,
    FloatType,
    FunctionType,
    FutureType,
    IntegerType,
    MemRefType,
    NoneType,
    OpaqueType,
    QuantizedType,
    TensorType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from stablehlo_py.opset.structures import STRUCTS
from stablehlo_py.syntax.parser import parse_attribute, parse_type
from stablehlo_py.syntax.write import attributes

SCALAR = TensorType((), F32)
I8 = IntegerType(8)


def struct(name: str, /, **fields: object) -> StructAttr:
    """A structured attribute, with defaults for the fields that are not given."""
    return StructAttr(name, tuple((f.name, fields.get(f.name, f.default)) for f in STRUCTS[name].fields))


def dense(values: object, element_type: Type) -> DenseElementsAttr:
    array = np.array(values, numpy_dtype(element_type))
    return DenseElementsAttr(TensorType(array.shape, element_type), array.reshape(-1))


@pytest.mark.parametrize(
    ("type", "text"),
    [
        (I1, "i1"),
        (IntegerType(4, "u"), "ui4"),
        (IntegerType(8, "s"), "si8"),
        (INDEX, "index"),
        (FloatType("f8E4M3B11FNUZ"), "f8E4M3B11FNUZ"),
        (SCALAR, "tensor<f32>"),
        (TensorType((2, None, 0), ComplexType(F64)), "tensor<2x?x0xcomplex<f64>>"),
        (
            TensorType((None,), F32, struct("stablehlo.bounds", bounds=(3,))),
            "tensor<?xf32, #stablehlo.bounds<3>>",
        ),
        (
            TensorType((None, 2), F32, struct("stablehlo.bounds", bounds=(3, None))),
            "tensor<?x2xf32, #stablehlo.bounds<3, ?>>",
        ),
        (UnrankedTensorType(I32), "tensor<*xi32>"),
        (MemRefType((2, None), F32), "memref<2x?xf32>"),
        (MemRefType((2,), F32, (integer(1),)), "memref<2xf32, 1>"),
        (TOKEN, "!stablehlo.token"),
        (TupleType((SCALAR, TupleType(()))), "tuple<tensor<f32>, tuple<>>"),
        (FutureType((SCALAR, TOKEN)), "!stablehlo.future<tensor<f32>, !stablehlo.token>"),
        (FunctionType((), ()), "() -> ()"),
        (FunctionType((SCALAR, I1), (SCALAR,)), "(tensor<f32>, i1) -> tensor<f32>"),
        (FunctionType((), (I1, I1)), "() -> (i1, i1)"),
        (FunctionType((), (FunctionType((), ()),)), "() -> (() -> ())"),
        (NoneType(), "none"),
        (OpaqueType("!shape.shape"), "!shape.shape"),
        (QuantizedType(I8, F32, (0.5,), (-10,), -128, 127), "!quant.uniform<i8:f32, 5.000000e-01:-10>"),
        (QuantizedType(I8, F32, (0.1,), (0,), -127, 127), "!quant.uniform<i8<-127:127>:f32, 1.000000e-01>"),
        (
            QuantizedType(IntegerType(4, "u"), F32, (2.0, 3.0), (1, 0), 0, 15, 1),
            "!quant.uniform<u4:f32:1, {2.000000e+00:1,3.000000e+00}>",
        ),
        (
            QuantizedType(IntegerType(8, "u"), F32, (2.0,), (1,), 0, 9, has_unsigned_storage=True),
            "!quant.uniform<ui8<0:9>:f32, 2.000000e+00:1>",
        ),
        (
            QuantizedType(I8, F32, (1.0, 2.0), (0, 3), -128, 127, None, ((0, 1), (1, 2)), (1, 2)),
            "!quant.uniform<i8:f32:{0:1, 1:2}, {{1.000000e+00, 2.000000e+00:3}}>",
        ),
        (QuantizedType(I8, F32, (12345678.0,), (0,), -128, 127), "!quant.uniform<i8:f32, 12345678.0>"),
    ],
)
def test_types(type: Type, text: str) -> None:
    assert str(type) == text


def test_deeply_nested_types_do_not_recurse() -> None:
    type: Type = TOKEN
    for _ in range(5000):
        type = TupleType((type,))
    assert str(type) == "tuple<" * 5000 + "!stablehlo.token" + ">" * 5000


@pytest.mark.parametrize(
    ("name", "values", "texts"),
    [
        ("f32", [0.0, -0.0, 1.0, 0.1], ["0.000000e+00", "-0.000000e+00", "1.000000e+00", "1.000000e-01"]),
        ("f32", [0.7, 1 / 3, np.pi], ["0.699999988", "0.333333343", "3.14159274"]),
        ("f32", [1e10, 1e-10, 1e6, 123456], ["1.000000e+10", "1.000000e-10", "1.000000e+06", "1.234560e+05"]),
        ("f32", [1234567, 16777216], ["0x4996B438", "0x4B800000"]),
        ("f32", [999999.5, 2097151.625], ["999999.5", "2097151.63"]),
        ("f32", [np.inf, -np.inf, np.nan], ["0x7F800000", "0xFF800000", "0x7FC00000"]),
        ("f64", [1 / 3, 123456789.0], ["0.33333333333333331", "0x419D6F3454000000"]),
        ("f64", [2**-9, 2**-12], ["0.001953125", "2.44140625E-4"]),  # three zeros at most
        ("f64", [123456789e3, 123456789e4], ["0x423CBE991A080000", "1.23456789E+12"]),
        ("f64", [0.1234567890123456, 0.1], ["0.12345678901234559", "1.000000e-01"]),
        ("f16", [0.1, 1 / 3, 65504, 0.001], ["9.997550e-02", "3.332520e-01", "6.550400e+04", "1.000400e-03"]),
        (
            "bf16",
            [0.1, 1 / 3, 65504, 0.001],
            ["1.000980e-01", "3.339840e-01", "6.553600e+04", "9.994500e-04"],
        ),
        ("f8E4M3FN", [0.1, 1 / 3, 100], ["1.015630e-01", "3.437500e-01", "9.600000e+01"]),
        ("f8E5M2", [0.1, 1 / 3, 100], ["9.375000e-02", "3.125000e-01", "9.600000e+01"]),
        ("f4E2M1FN", [0.5, 6], ["5.000000e-01", "6.000000e+00"]),
        ("f8E8M0FNU", [0.5, 2], ["5.000000e-01", "2.000000e+00"]),
    ],
)
def test_floats(name: str, values: list[float], texts: list[str]) -> None:
    type = FloatType(name)
    assert str(dense(values, type)) == f"dense<[{', '.join(texts)}]> : tensor<{len(values)}x{name}>"


def test_bits_of_a_nan_are_kept() -> None:
    assert str(FloatAttr(float("nan"), F32, 0xFFC00001)) == "0xFFC00001 : f32"
    assert str(FloatAttr(0.1, F64)) == "1.000000e-01 : f64"


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (UnitAttr(), "unit"),
        (BoolAttr(True), "true"),
        (integer(-3), "-3 : i64"),
        (IntegerAttr(1, INDEX), "1 : index"),
        (StringAttr('a"b\n\t\\é\x7f'), r'"a\22b\0A\09\\\C3\A9\7F"'),
        (SymbolRefAttr("a", ("b c",)), '@a::@"b c"'),
        (SymbolRefAttr("a.b$_1", ("a-b", "$a", ".a", "")), '@a.b$_1::@"a-b"::@"$a"::@".a"::@""'),
        (TypeAttr(SCALAR), "tensor<f32>"),
        (
            ArrayAttr((integer(1), FloatAttr(2.0, F64), IntegerAttr(1, I32), FloatAttr(1.0, F32))),
            "[1, 2.000000e+00, 1 : i32, 1.000000e+00 : f32]",
        ),
        (
            DictAttr.of({"b c": integer(1), "a": UnitAttr(), "0a": integer(2, 3), "a-b": UnitAttr()}),
            '{"0a" = 2 : i3, a, "a-b", "b c" = 1 : i64}',
        ),
        (DenseArrayAttr(I64, ()), "array<i64>"),
        (DenseArrayAttr(I64, (1, -2)), "array<i64: 1, -2>"),
        (DenseArrayAttr(I1, (True, False)), "array<i1: true, false>"),
        (DenseArrayAttr(F32, (0.5,)), "array<f32: 5.000000e-01>"),
        (dense([[1, 2], [3, 4]], IntegerType(8, "u")), "dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>"),
        (dense([True, False], I1), "dense<[true, false]> : tensor<2xi1>"),
        (dense([[1], [1]], IntegerType(4)), "dense<1> : tensor<2x1xi4>"),
        (dense(3, I32), "dense<3> : tensor<i32>"),
        (dense(np.zeros((0, 2)), I1), "dense<> : tensor<0x2xi1>"),
        (dense([0.0, -0.0], F32), "dense<[0.000000e+00, -0.000000e+00]> : tensor<2xf32>"),
        (dense([1 - 2j], ComplexType(F32)), "dense<(1.000000e+00,-2.000000e+00)> : tensor<1xcomplex<f32>>"),
        (DenseResourceAttr("k", SCALAR), "dense_resource<k> : tensor<f32>"),
        (EnumAttr("stablehlo.comparison_direction", "GE"), "#stablehlo<comparison_direction GE>"),
        (EnumAttr("stablehlo.result_accuracy_mode", "HIGHEST"), "#stablehlo.result_accuracy_mode<HIGHEST>"),
        (OpaqueAttr("#sdy.sharding<a>"), "#sdy.sharding<a>"),
        (
            struct("stablehlo.dot", lhs_contracting_dimensions=(1,), rhs_contracting_dimensions=(0,)),
            "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>",
        ),
        (struct("stablehlo.gather", offset_dims=(0, 1)), "#stablehlo.gather<offset_dims = [0, 1]>"),
        (
            struct("stablehlo.channel_handle", handle=1, type=0),
            "#stablehlo.channel_handle<handle = 1, type = 0>",
        ),
        (
            struct("stablehlo.result_accuracy", atol=0.1, ulps=3, mode="TOLERANCE"),
            "#stablehlo.result_accuracy<atol = 1.000000e-01, ulps = 3, "
            "mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
        ),
        (
            struct(
                "stablehlo.axis_ref",
                name="x",
                sub_axis_info=struct("stablehlo.sub_axis_info", pre_size=1, size=2),
            ),
            '#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>',
        ),
        (
            struct(
                "stablehlo.mesh",
                axes=(
                    struct("stablehlo.mesh_axis", name="x", size=2),
                    struct("stablehlo.mesh_axis", name="y", size=4),
                ),
            ),
            '#stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>',
        ),
    ],
)
def test_attributes(attribute: Attribute, text: str) -> None:
    assert str(attribute) == text


def convolution(**changed: object) -> StructAttr:
    fields = {
        "input_batch_dimension": 0,
        "input_feature_dimension": 2,
        "input_spatial_dimensions": (1,),
        "kernel_input_feature_dimension": 1,
        "kernel_output_feature_dimension": 2,
        "kernel_spatial_dimensions": (0,),
        "output_batch_dimension": 0,
        "output_feature_dimension": 1,
        "output_spatial_dimensions": (2,),
    }
    return struct("stablehlo.conv", **{**fields, **changed})


def test_convolution_dimensions() -> None:
    assert str(convolution()) == "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, f, 0]>"


def test_convolution_dimensions_that_overlap_are_written_one_by_one() -> None:
    assert str(convolution(input_feature_dimension=1)).startswith(
        "#stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, "
    )


@pytest.mark.parametrize(
    ("count", "element_type", "body"),
    [
        (100, I8, "[" + ", ".join(map(str, range(100))) + "]"),
        (101, I8, '"0x' + "".join(f"{n:02X}" for n in range(101)) + '"'),
        (101, I1, '"0x' + "".join("00" if n == 0 else "01" for n in range(101)) + '"'),
    ],
)
def test_more_than_a_hundred_elements_are_written_in_hexadecimal(
    count: int, element_type: Type, body: str
) -> None:
    values = np.arange(count).astype(numpy_dtype(element_type))
    assert str(dense(values, element_type)) == f"dense<{body}> : tensor<{count}x{element_type}>"


def test_narrow_elements_fill_the_low_bits_of_a_byte() -> None:
    values = np.tile(np.array([-8, 7], ml_dtypes.int4), 60)
    text = f'dense<"0x{"0807" * 60}"> : tensor<120xi4>'
    assert str(dense(values, IntegerType(4))) == text
    computed = np.tile(np.array([0xF8, 0x07], np.uint8), 60).view(ml_dtypes.int4)  # with the sign in all bits
    assert str(dense(computed, IntegerType(4))) == text


def test_a_large_splat_is_one_element() -> None:
    assert str(dense(np.ones(200), F32)) == "dense<1.000000e+00> : tensor<200xf32>"


ALIASES = """#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d1)>
#set = affine_set<(d0) : (d0 >= 0)>
module {
  func.func @f(%arg0: tensor<2xf32>) -> tensor<2xf32> attributes {x = #map, y = #map1} {
    %0 = stablehlo.abs %arg0 {w = #map1, z = #set} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


def test_maps_and_sets_have_aliases() -> None:
    """As MLIR prints them: numbered in the order of their first use, in groups."""
    module = shlo.parse(ALIASES)
    assert shlo.format(module).strip() == ALIASES.strip()
    lines = shlo.format(module, generic=True).splitlines()
    assert lines[:3] == ALIASES.splitlines()[:3]
    assert '    %0 = "stablehlo.abs"(%arg0) {w = #map1, z = #set} : (tensor<2xf32>) -> tensor<2xf32>' in lines


def test_aliases_are_numbered_from_properties_on() -> None:
    text = '"x.y"() <{b = affine_map<(d0) -> (d0)>}> {a = affine_map<(d0) -> (0)>} : () -> ()'
    assert '"x.y"() <{b = #map}> {a = #map1}' in shlo.format(shlo.parse(text, allow_unregistered=True))


@pytest.mark.parametrize("odd", range(1, 11))
def test_elements_that_are_not_all_equal(odd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One differs, in any of the parts that are compared at once, or none."""
    monkeypatch.setattr(attributes, "_PART", 4)
    data = np.array([2 if index == odd else 1 for index in range(10)], np.int8)
    text = str(DenseElementsAttr(TensorType((10,), IntegerType(8)), data))
    numbers = f"[{', '.join(map(str, data))}]" if odd < 10 else "1"
    assert text == f"dense<{numbers}> : tensor<10xi8>"


@pytest.mark.parametrize("text", ["#sdy.mesh<[]>", '#sdy.sharding<@m, [], replicated={"x"}>'])
def test_empty_lists_of_structures(text: str) -> None:
    module = shlo.parse(f'"x.y"() {{a = {text}}} : () -> ()\n', allow_unregistered=True)
    assert f"a = {text}" in shlo.format(module)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("affine_map<(d0)[s0]->(d0 mod 2-1,d0*-1)>", "affine_map<(d0)[s0] -> (d0 mod 2 - 1, d0 * -1)>"),
        ("affine_map<(d0,d1)->(-d0,(d1)-1)>", "affine_map<(d0, d1) -> (-d0, (d1) - 1)>"),
        ("affine_map<(d0)->(d0 mod -2,d0 floordiv -3)>", "affine_map<(d0) -> (d0 mod -2, d0 floordiv -3)>"),
        ("affine_set<(d0):(d0-1>=0,d0==0)>", "affine_set<(d0) : (d0 - 1 >= 0, d0 == 0)>"),
        ("strided<[1,?],offset:3>", "strided<[1, ?], offset: 3>"),
        ("vector< 2x [4] x f32>", "vector<2x[4]xf32>"),
        ("vector<2x!foo.t<a b>>", "vector<2x!foo.t<a b>>"),
    ],
)
def test_blanks_of_what_is_kept_as_text(text: str, printed: str) -> None:
    """A minus between operands has blanks around it, and one before an operand has none."""
    parse = parse_type if text.startswith("vector") else parse_attribute
    assert str(parse(text)) == printed
