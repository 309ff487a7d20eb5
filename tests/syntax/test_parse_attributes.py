"""Attributes and constants, in every spelling."""

from __future__ import annotations

import math
import warnings
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.diagnostics.diagnostic import ParseError
from stablehlo_py.ir import attributes as A
from stablehlo_py.ir import types as T
from stablehlo_py.ir.locations import NameLoc
from stablehlo_py.syntax.parser import parse_attribute, parse_type

I8, UI8 = T.IntegerType(8), T.IntegerType(8, "u")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unit", A.UnitAttr()),
        ("true", A.BoolAttr(True)),
        ("1 : i1", A.BoolAttr(True)),
        ("-1 : i1", A.BoolAttr(True)),
        ("-1 : si1", A.IntegerAttr(-1, T.IntegerType(1, "s"))),
        ("1 : ui1", A.IntegerAttr(1, T.IntegerType(1, "u"))),
        ("5", A.IntegerAttr(5, T.I64)),
        ("-5 : i32", A.IntegerAttr(-5, T.I32)),
        ("0xFF : i8", A.IntegerAttr(-1, I8)),
        ("255 : ui8", A.IntegerAttr(255, UI8)),
        ("3 : index", A.IntegerAttr(3, T.INDEX)),
        ("1.5", A.FloatAttr(1.5, T.F64)),
        ("-2.5e-1 : f32", A.FloatAttr(-0.25, T.F32)),
        ("0x3F800000 : f32", A.FloatAttr(1.0, T.F32)),
        ("0xFF80 : bf16", A.FloatAttr(-math.inf, T.FloatType("bf16"))),
        ("1.0e300 : f32", A.FloatAttr(math.inf, T.F32)),
        ('"a b"', A.StringAttr("a b")),
        (r'"\41\22\n\t\"\\"', A.StringAttr('A"\n\t"\\')),
        (r'"\C3\A9\FF"', A.StringAttr("é\udcff")),
        ('"x" : i32', A.StringAttr("x", T.I32)),
        ("@main", A.SymbolRefAttr("main")),
        ('@a::@"b c"', A.SymbolRefAttr("a", ("b c",))),
        ("[]", A.ArrayAttr(())),
        ("[1, 2]", A.ArrayAttr((A.IntegerAttr(1, T.I64), A.IntegerAttr(2, T.I64)))),
        ('[1 : i32, "a"]', A.ArrayAttr((A.IntegerAttr(1, T.I32), A.StringAttr("a")))),
        ("{}", A.DictAttr(())),
        (
            '{b = 1, a, "c d" = i32}',
            A.DictAttr((("a", A.UnitAttr()), ("b", A.IntegerAttr(1, T.I64)), ("c d", A.TypeAttr(T.I32)))),
        ),
        ("array<i64>", A.DenseArrayAttr(T.I64, ())),
        ("array<i64: 1, -2, 0x10>", A.DenseArrayAttr(T.I64, (1, -2, 16))),
        ("array<i1: true, false>", A.DenseArrayAttr(T.I1, (True, False))),
        ("array<i1: 1, 0>", A.DenseArrayAttr(T.I1, (True, False))),
        ("array<f32: 0.1>", A.DenseArrayAttr(T.F32, (float(np.float32(0.1)),))),
        ("tensor<f32>", A.TypeAttr(T.TensorType((), T.F32))),
        ("() -> i1", A.TypeAttr(T.FunctionType((), (T.I1,)))),
        ('loc("x")', A.LocationAttr(NameLoc("x"))),
        ("affine_map<(d0) -> (d0)>", A.OpaqueAttr("affine_map<(d0) -> (d0)>")),
        ('#other.thing<{a = "}>"}>', A.OpaqueAttr('#other.thing<{a = "}>"}>')),
        ("#stablehlo<precision HIGH>", A.EnumAttr("stablehlo.precision", "HIGH")),
        ("#stablehlo.precision<HIGH>", A.EnumAttr("stablehlo.precision", "HIGH")),
        (
            "#stablehlo.result_accuracy_mode<HIGHEST>",
            A.EnumAttr("stablehlo.result_accuracy_mode", "HIGHEST"),
        ),
        ("dense_resource<key> : tensor<2xf32>", A.DenseResourceAttr("key", T.TensorType((2,), T.F32))),
    ],
)
def test_attribute(text: str, expected: A.Attribute) -> None:
    assert parse_attribute(text) == expected


def test_nan_keeps_its_bits() -> None:
    attribute = parse_attribute("0x7FC00001 : f32")
    assert isinstance(attribute, A.FloatAttr)
    assert math.isnan(attribute.value)
    assert attribute.bits == 0x7FC00001


def struct(text: str) -> dict[str, Any]:
    attribute = parse_attribute(text)
    assert isinstance(attribute, A.StructAttr)
    return dict(attribute.fields)


def test_structures() -> None:
    assert struct("#stablehlo.dot<rhs_contracting_dimensions = [0], lhs_contracting_dimensions = [1]>") == {
        "lhs_batching_dimensions": (),
        "rhs_batching_dimensions": (),
        "lhs_contracting_dimensions": (1,),
        "rhs_contracting_dimensions": (0,),
    }
    assert struct("#stablehlo.channel_handle<handle = 1, type = 2>") == {"handle": 1, "type": 2}
    assert struct("#stablehlo<channel_handle<handle = 1, type = 2>>") == {"handle": 1, "type": 2}
    assert struct("#stablehlo.channel_handle<handle = 1, // what > it is\n type = 2>")["type"] == 2
    assert struct("#stablehlo.gather<offset_dims = [1], index_vector_dim = 1>")["index_vector_dim"] == 1
    accuracy = "#stablehlo.result_accuracy<{}, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>"
    found = struct(accuracy.format("atol = 1.0e-3"))
    assert found == {"atol": 0.001, "rtol": 0.0, "ulps": 0, "mode": "TOLERANCE"}
    found = struct(accuracy.format("atol = 2, rtol = 0x3FE0000000000000"))
    assert (found["atol"], found["rtol"]) == (2.0, 0.5)
    algorithm = struct(
        "#stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, "
        "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
        "num_primitive_operations = 1, allow_imprecise_accumulation = false>"
    )
    assert algorithm["lhs_precision_type"] is T.FloatType("tf32")
    assert algorithm["allow_imprecise_accumulation"] is False


def test_convolution_dimensions_in_both_spellings() -> None:
    short = struct("#stablehlo.conv<[b, 0, 1, f]x[1, 0, i, o]->[f, b, 0, 1]>")
    assert short == {
        "input_batch_dimension": 0,
        "input_feature_dimension": 3,
        "input_spatial_dimensions": (1, 2),
        "kernel_input_feature_dimension": 2,
        "kernel_output_feature_dimension": 3,
        "kernel_spatial_dimensions": (1, 0),
        "output_batch_dimension": 1,
        "output_feature_dimension": 0,
        "output_spatial_dimensions": (2, 3),
    }
    raw = ", ".join(
        f"{name} = {list(value) if isinstance(value, tuple) else value}" for name, value in short.items()
    )
    assert struct(f"#stablehlo.conv<raw {raw}>") == short


def test_mesh_axes() -> None:
    axis = struct('#stablehlo.axis_ref<name = "x", sub_axis_info = (2)4>')
    assert axis["sub_axis_info"].fields == (("pre_size", 2), ("size", 4))
    mesh = struct('#stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>')
    assert mesh["axes"][0]["size"] == 2
    assert mesh["device_ids"].value.tolist() == [1, 0]


def dense(text: str) -> A.DenseElementsAttr:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attribute = parse_attribute(text)
    assert isinstance(attribute, A.DenseElementsAttr)
    assert not attribute.data.flags.writeable
    return attribute


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dense<5> : tensor<i32>", 5),
        ("dense<[]> : tensor<0xf32>", []),
        ("dense<> : tensor<2x0xf32>", [[], []]),
        ("dense<[[], []]> : tensor<2x0xf32>", [[], []]),
        ("dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>", [[1, 2, 3], [4, 5, 6]]),
        ("dense<[-128, 127, 255, 0xFE]> : tensor<4xi8>", [-128, 127, -1, -2]),
        ("dense<[18446744073709551615, 1]> : tensor<2xui64>", [18446744073709551615, 1]),
        ("dense<[true, false, 1, 0, -1]> : tensor<5xi1>", [True, False, True, False, True]),
        ("dense<[1.5, -2.0e1, 0x7F800000]> : tensor<3xf32>", [1.5, -20.0, math.inf]),
        ("dense<[(1.0, 2.0), (-0.5, 0.0)]> : tensor<2xcomplex<f32>>", [1 + 2j, -0.5 + 0j]),
        ("dense<[0xF, -8, 7]> : tensor<3xi4>", [-1, -8, 7]),
        ('dense<"0x0100000002000000"> : tensor<2xi32>', [1, 2]),
        ('dense<"0x000100"> : tensor<3xi1>', [False, True, False]),
        ('dense<"0xF50102"> : tensor<3xi4>', [5, 1, 2]),
        ('dense<"0x803F0040"> : tensor<2xbf16>', [1.0, 2.0]),
        ("dense<[1, 2]> : tensor<2x!quant.uniform<i8:f32, 0.5>>", [1, 2]),
    ],
)
def test_constant(text: str, expected: Any) -> None:
    assert dense(text).value.tolist() == expected


@pytest.mark.parametrize("type", ["i1", "si1", "ui1"])
def test_elements_of_one_bit(type: str) -> None:
    """A signed bit is 0 or -1, and its text that of i1."""
    one = -1 if type == "si1" else 1
    expected = f"dense<[false, true]> : tensor<2x{type}>"
    for body in (f"[0, {one}]", "[false, true]"):
        assert str(parse_attribute(f"dense<{body}> : tensor<2x{type}>")) == expected
    with pytest.raises(ParseError, match="integer constant out of range for type"):
        parse_attribute(f"dense<{2 if one == 1 else 1}> : tensor<{type}>")


def test_packed_booleans_of_earlier_releases() -> None:
    value = dense('dense<"0x0180"> : tensor<16xi1>').value
    assert np.flatnonzero(value).tolist() == [0, 15]


def test_escapes_of_all_bytes() -> None:
    """Alone, where those from 80 on are no UTF-8, and with others that are a character together."""
    for byte in range(256):
        raw = bytes([byte])
        for digits in (f"{byte:02x}", f"{byte:02X}"):
            found = parse_attribute(f'"a\\{digits}b"')
            assert found == A.StringAttr(f"a{raw.decode('utf-8', 'surrogateescape')}b"), digits
    for character in ("\N{EURO SIGN}", "\x80", "\xff", "\N{GRINNING FACE}"):
        digits = "".join(f"\\{byte:02X}" for byte in character.encode())
        assert parse_attribute(f'"{digits}"') == A.StringAttr(character)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 100])
@pytest.mark.parametrize(("byte", "expected"), [("00", False), ("01", True), ("FF", True)])
def test_one_byte_is_that_of_each_boolean(byte: str, expected: bool, size: int) -> None:
    """A single byte is no packed bits, whatever the number of booleans."""
    assert dense(f'dense<"0x{byte}"> : tensor<{size}xi1>').value.tolist() == [expected] * size


def test_splat_of_any_size_is_one_element() -> None:
    huge = dense("dense<1.0> : tensor<1000000000x1000000xf32>")
    assert huge.data.size == 1
    assert huge.value.shape == (1000000000, 1000000)
    assert dense("dense<[2, 2, 2]> : tensor<3xi32>").is_splat
    assert not dense("dense<[0.0, -0.0]> : tensor<2xf32>").is_splat
    assert dense('dense<"0x0000803F"> : tensor<1000xf32>').value[999] == 1.0


def test_nan_payloads_and_narrow_floats() -> None:
    data = dense("dense<[0x7FC00001, 1.0]> : tensor<2xf32>").data
    assert data.view(np.uint32).tolist() == [0x7FC00001, 0x3F800000]
    assert dense("dense<[0.3, 448.0]> : tensor<2xf8E4M3FN>").data.dtype == ml_dtypes.float8_e4m3fn


def test_long_list_is_the_same_as_short_ones() -> None:
    numbers = np.arange(30000, dtype=np.float64) / 7
    rows = ",\n".join("[" + ", ".join(map(repr, row)) + "]" for row in numbers.reshape(100, 300).tolist())
    assert (dense(f"dense<[{rows}]> : tensor<100x300xf64>").value == numbers.reshape(100, 300)).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "dense<[1, 2, 3]> : tensor<2xi32>",
            "inferred shape of elements literal ([3]) does not match type ([2])",
        ),
        ("dense<[[1, 2], [3]]> : tensor<2x2xi32>", "ranks are not consistent"),
        ("dense<[[1, 2], 3]> : tensor<2x2xi32>", "ranks are not consistent"),
        ("dense<[1, 2> : tensor<2xi32>", "brackets"),
        ("dense<1.0> : tensor<i32>", "expected integer elements, but parsed floating-point"),
        ("dense<true> : tensor<i32>", "expected i1 type"),
        ("dense<256> : tensor<i8>", "out of range"),
        ("dense<-129> : tensor<i8>", "out of range"),
        ("dense<-1> : tensor<ui8>", "expected unsigned integer elements, but parsed negative value"),
        ("dense<0x1FFFFFFFF> : tensor<f32>", "hexadecimal float constant out of range"),
        ("dense<1.0> : tensor<2xcomplex<f32>>", "expected 2 elements"),
        ("dense<(1.0, 2.0)> : tensor<f32>", "expected element literal"),
        ("dense<(1.0, 2.0, 3.0)> : tensor<complex<f32>>", "expected 2 elements"),
        ('dense<"0x00"> : tensor<2xi32>', "hex data size is invalid"),
        ("dense<> : tensor<2xi32>", "parsed zero elements"),
        ("dense<1> : tensor<?xi32>", "must have static shape"),
        ("dense<1> : i32", "must be a shaped type"),
        ("dense<foo> : tensor<i32>", "expected element literal"),
        ("dense<1 2> : tensor<2xi32>", "expected"),
        ("256 : i8", "out of range"),
        ("-1 : ui8", "negative"),
        ("1.0 : i32", "not valid"),
        (r'"\q"', "unknown escape"),
        ("{a = 1, a = 2}", "duplicate key 'a'"),
        ("array<i64: a>", "expected"),
        ("#undefined", "undefined symbol alias id 'undefined'"),
        ("#stablehlo<precision HIGHER>", "expected one of DEFAULT, HIGH, HIGHEST"),
        ("#stablehlo.dto<a = 1>", "unknown attribute"),
        ("#stablehlo.gather<offset_dim = [1]>", "expected one of: `offset_dims`"),
        ("#stablehlo.channel_handle<handle = 1>", "missing field `type`"),
        ("#stablehlo.channel_handle<handle = 1, handle = 1>", "duplicated `handle`"),
        ("#stablehlo.conv<[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]>", "Duplicate entries"),
        ("#stablehlo.conv<[b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f]>", "not specified"),
        ("#stablehlo.conv<[b, 0, 1, z]x[0, 1, i, o]->[b, 0, 1, f]>", "Unexpected dimension z"),
        ("[" * 200 + "]" * 200, "nested deeper than 64"),
        ("9" * 5000, "out of range"),
    ],
)
def test_attribute_that_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_attribute(text)
    assert words in caught.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("#stablehlo.type_extensions<>", "#stablehlo.bounds<>"),
        (
            '#stablehlo.axis_ref<name = "x", sub_axis_info = <pre_size = 1, size = 2>>',
            '#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>',
        ),
        (
            "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>",
            "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>",
        ),
        ("#stablehlo.mesh<axes = []>", "#stablehlo.mesh<axes=[]>"),
        (
            '#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 2>]>',
            '#stablehlo.mesh<axes=[<name = "a", size = 2>]>',
        ),
    ],
)
def test_fields_of_structures(text: str, printed: str) -> None:
    assert str(parse_attribute(text)) == printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "#stablehlo.result_accuracy<mode = #stablehlo.comparison_type<FLOAT>>",
            "expected one of DEFAULT, HIGHEST, TOLERANCE, found #stablehlo<comparison_type FLOAT>",
        ),
        (
            "#stablehlo.result_accuracy<mode = 3>",
            "expected one of DEFAULT, HIGHEST, TOLERANCE, found 3 : i64",
        ),
        ('#stablehlo.axis_ref<name = "x", sub_axis_info = 3>', "expected #stablehlo.sub_axis_info<...>"),
        ("#stablehlo.mesh<axes = 3>", "expected an array, each #stablehlo.mesh_axis<...>, found 3 : i64"),
        ("#stablehlo.mesh<axes = [3]>", "expected an array, each #stablehlo.mesh_axis<...>, found [3]"),
    ],
)
def test_fields_of_another_kind(text: str, message: str) -> None:
    with pytest.raises(ParseError) as raised:
        parse_attribute(text)
    assert raised.value.diagnostics[0].message == message


@pytest.mark.parametrize(
    "text",
    [
        "sparse<x> : tensor<2xf32>",
        "sparse<[[0]]> : tensor<2xf32>",
        "dense<1> : !x.y",
        "sparse<x> : !x.y",
        'dense<"abc"> : tensor<2xf32>',
        'dense<"0xzz"> : tensor<2xf32>',
    ],
)
def test_literals_that_stay_text(text: str) -> None:
    value, _, type = text.partition(" : ")
    assert parse_attribute(text) == A.OpaqueAttr(value, parse_type(type))
    assert str(parse_attribute(text)) == text


@pytest.mark.parametrize(
    ("text", "offset"),
    [("dense<-0> : !x.y", 6), ("sparse<1, -0> : !x.y", 10), ("sparse<-0> : tensor<2xf32>", 7)],
)
def test_minus_zero_in_literals_that_stay_text(text: str, offset: int) -> None:
    with pytest.raises(ParseError) as raised:
        parse_attribute(text)
    (found,) = raised.value.diagnostics
    assert (found.column, found.message) == (offset + 1, "integer constant out of range for type")


@pytest.mark.parametrize("digits", [8, 5_000])
def test_strings_of_digits_for_types_without_numbers(digits: int) -> None:
    """A long one is not copied unless its text is needed."""
    value = f'dense<"0x{"1" * digits}">'
    assert parse_attribute(f"{value} : !x.y") == A.OpaqueAttr(value, parse_type("!x.y"))
    value = f'dense<"0x{"1" * digits}z">'
    assert parse_attribute(f"{value} : tensor<2xf32>") == A.OpaqueAttr(value, parse_type("tensor<2xf32>"))


def test_bit_patterns_and_numbers_of_small_floats() -> None:
    """1.5 in f8E3M4, which has the bias 3, is 0 011 1000; complex parts are stored one after the other."""
    type = "tensor<2xf8E3M4>"
    for text in ("dense<[1.5, -1.5]>", "dense<[0x38, 0xB8]>"):
        found = parse_attribute(f"{text} : {type}")
        assert isinstance(found, A.DenseElementsAttr)
        assert found.data.view(np.uint8).tolist() == [0x38, 0xB8]
    # In little-endian order: 1 is 3F80 in bf16, and has the exponent 3FFF and a first bit in f80.
    for text, pattern in (
        ("dense<[(1.0, 0x3F80)]> : tensor<1xcomplex<bf16>>", b"\x80\x3f\x80\x3f"),
        ("dense<[0x3FFF8000000000000000]> : tensor<1xf80>", bytes(7) + b"\x80\xff\x3f"),
        ("dense<[1.0]> : tensor<1xf80>", bytes(7) + b"\x80\xff\x3f"),
    ):
        found = parse_attribute(text)
        assert isinstance(found, A.DenseElementsAttr)
        assert found.data.tobytes() == pattern
