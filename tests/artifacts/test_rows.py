"""Entries of types that few files have. Their bytes are those that jaxlib 0.10.2 writes."""

from __future__ import annotations

from typing import Literal

import ml_dtypes
import numpy as np
import pytest
from make_recorded_artifacts import digest

import stablehlo_py as shlo
from stablehlo_py.artifacts.bytecode.cursor import Cursor
from stablehlo_py.artifacts.dialects.blobs import dense_bytes
from stablehlo_py.artifacts.dialects.fields import INTEGER
from stablehlo_py.artifacts.dialects.registry import VHLO, Encoding, NoEncoding
from stablehlo_py.ir.attributes import EnumAttr
from stablehlo_py.ir.types import IntegerType, TensorType
from stablehlo_py.syntax.parser import parse_type

ENTRIES = (
    ("!quant.any<i8<-8:7>>", "0303011f1d"),
    ("!quant.any<i8>", "030301fe03fa03"),
    ("!quant.any<ui8:f32>", "0501010301fa07"),
    ("!quant.any<f8E4M3FN:f32>", "05030103fe0d020e"),
    ("!quant.calibrated<f32<-0.998:1.232100e+00>>", "07010053e3a59bc420208000e8d9acfa5c6de77f"),
    (
        "!quant.uniform<i8:f32:{0:1, 1:2}, {{1.000000e+00:1}, {2.000000e+00:2}}>",
        "0d030103fe03fa030501050505090709",
    ),
    (
        "!quant.uniform<ui8<1:254>:f32:{0:1, 1:2}, {{1.000000e+00:200}, {1.000000e+00:200}}>",
        "0d01010305f2070501050505090709",
    ),
    ("vector<2x[4]xf32>", "2905000105091103"),
    ("memref<*xf32>", "2103"),
)


@pytest.mark.parametrize(("type", "entry"), ENTRIES)
def test_type(type: str, entry: str) -> None:
    text = f"module attributes {{x.a = {type}}} {{\n}}\n"
    data = shlo.serialize(shlo.parse(text), "bytecode")
    assert bytes.fromhex(entry) in data
    assert shlo.format(shlo.parse(data)) == text


@pytest.mark.parametrize(
    "parameters",
    [
        "i8:f32:{0:1, 1:2}, {{1.000000e+00:-1}, {2.000000e+00:2}}",
        "u8:f32:{0:1, 1:2}, {{1.000000e+00:200}, {1.000000e+00:3}}",
        "ui8:f32:{0:1, 1:2}, {{1.000000e+00:200}, {1.000000e+00:3}}",
    ],
)
def test_zero_points_of_blocks_have_the_sign_of_the_storage(parameters: str) -> None:
    text = f"module attributes {{x.a = !quant.uniform<{parameters}>}} {{\n}}\n"
    assert shlo.format(shlo.parse(shlo.serialize(shlo.parse(text), "bytecode"))) == text


CONSTANTS = (
    ("dense<[-1, 7, -8]> : tensor<3xi4>", "0f0708"),
    ("dense<[3, 0]> : tensor<2xui2>", "0300"),
    (
        "dense<[1.000000e+00, 0.100000000000000005551]> : tensor<2xf80>",
        "290000000000000080ff3f00d0ccccccccccccfb3f",
    ),
    ("dense<[1.000000e+00, 2.500000e+00]> : tensor<2xtf32>", "0d00fc01000102"),
    ("dense<2.500000e+00> : tensor<2xf128>", "21" + "00" * 13 + "400040"),
    ("dense<[1, -2]> : tensor<2xi128>", "4101" + "00" * 15 + "fe" + "ff" * 15),
    ("dense<[1, -2]> : tensor<2xi3>", "050106"),
    ("dense<[true, false]> : tensor<2xi1>", "0301"),
    ("dense<[true, false, false, false, false, false, false, false]> : tensor<8xi1>", "0301"),
    ("dense<[true, false, false, false, false, false, false, false, true]> : tensor<9xi1>", "050101"),
    ("dense<true> : tensor<1xi1>", "03ff"),
    ("dense<true> : tensor<9xi1>", "03ff"),
    ("dense<(1,2)> : tensor<2xcomplex<i32>>", "110100000002000000"),
    ("dense<[1.500000e+00, 2.500000e+00]> : vector<2xf32>", "110000c03f00002040"),
    ("dense<[1, 2]> : vector<[2]xi32>", "110100000002000000"),
    ("dense<1> : memref<4xi32>", "0901000000"),
    ('dense<["a", "b"]> : tensor<2x!stablehlo.token>', "270101090b"),
    ("sparse<[[0], [2]], [1.500000e+00, 2.500000e+00]> : vector<4xf32>", "2903070925"),
    ("-1 : i32", "1101d0ffffff3f"),
    ("-1 : i8", "1101ff"),
    ("-1 : si2", "110103"),
    ("-1 : si1", "110101"),
    ("1 : ui1", "110101"),
    ("true", "110101"),
    ("false", "110100"),
    ('dense<"a"> : tensor<1x!stablehlo.token>', "27010309"),
    ("dense<> : tensor<0x!stablehlo.token>", "270101"),
    ("-1.000000e+00 : f32", "1301100000e02f"),
    ("-0.000000e+00 : tf32", "1301040040"),
    ("0.100000000000000005551 : f80", "13010500ff5f666666666666b4ff03"),
    ("0.100000000000000005551115123125782702 : f128", "13010500ffffffffffffffbf00323333333333f77f"),
)


def test_bits_above_a_narrow_integer_are_not_written() -> None:
    """Arrays from elsewhere, and those of older releases of ml_dtypes, may have any there."""
    data = np.frombuffer(b"\xff\xf7\x08", ml_dtypes.int4)
    assert dense_bytes(data, TensorType((3,), IntegerType(4))) == b"\x0f\x07\x08"


@pytest.mark.parametrize(
    ("type", "number"), [("i4", -1), ("ui4", 15), ("si2", -1), ("ui1", 1), ("i7", -1), ("ui8", 255)]
)
def test_bits_above_a_narrow_integer_are_not_read(type: str, number: int) -> None:
    cursor = Cursor(b"\xff")
    assert INTEGER.read(cursor, {"type": parse_type(type)}) == number
    assert cursor.is_done


@pytest.mark.parametrize("kind", ["bytecode", "portable", "vhlo"])
@pytest.mark.parametrize(
    "element", ["i32:f32, 2.500000e-01:5", "i8:f32, 2.500000e-01", "i16:bf16:0, {1.000000e+00}"]
)
def test_quantized_types_that_upstream_accepts(
    element: str, kind: Literal["bytecode", "portable", "vhlo"]
) -> None:
    """The storage may be as wide as the numbers, which the text of the specification alone excludes."""
    text = f"func.func private @f(tensor<1x!quant.uniform<{element}>>)\n"
    again = shlo.parse(shlo.serialize(shlo.parse(text), kind))
    assert f"tensor<1x!quant.uniform<{element}>>" in shlo.format(again)


@pytest.mark.parametrize(("constant", "entry"), CONSTANTS)
def test_constant(constant: str, entry: str) -> None:
    text = f"module attributes {{x.a = {constant}}} {{\n}}\n"
    assert shlo.format(shlo.parse(text)) == text
    data = shlo.serialize(shlo.parse(text), "bytecode")
    assert bytes.fromhex(entry) in data
    assert shlo.format(shlo.parse(data)) == text


@pytest.mark.parametrize(
    ("value", "entry"),
    [
        ("0x00000000000000000000", "13010301"),
        ("0x00000000000000000001", "13010305"),
        ("0x00018000000000000000", "13010500" + "ff" * 8 + "05"),
    ],
)
def test_high_words_that_are_0(value: str, entry: str) -> None:
    """They are left out, but for the first word; a word is signed, with the sign in its lowest bit."""
    data = shlo.serialize(shlo.parse(f"module attributes {{x.a = {value} : f80}} {{}}"), "bytecode")
    assert bytes.fromhex(entry) in data


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ('dense<["a"]> : tensor<1x!stablehlo.token>', 'dense<"a"> : tensor<1x!stablehlo.token>'),
        ("dense<[1.5,2.5]> : vector<2xf32>", "dense<[1.500000e+00, 2.500000e+00]> : vector<2xf32>"),
        ("sparse<[[0]], [1.5]> : vector<4xf32>", "sparse<0, 1.500000e+00> : vector<4xf32>"),
        ("0x7FFF8000000000000000 : f80", "0x7FFF8000000000000000 : f80"),
        ("0x00000000000000000001 : f80", "3.645200e-4951 : f80"),
        # leading bits that do not agree with the exponent, as C++ prints them
        ("0x12344000000000000001 : f80", "0x7FFF4000000000000001 : f80"),
        ("0xBFFF0000000000000000 : f80", "0xFFFF0000000000000000 : f80"),
        ("0x00008000000000000000 : f80", "3.36210314311209350626E-4932 : f80"),
        (
            'dense<"0x0100000000000040341200000000000000000100"> : tensor<2xf80>',
            "dense<[0x7FFF4000000000000001, 0x7FFF0000000000000000]> : tensor<2xf80>",
        ),
    ],
)
def test_spelling_of_constants(given: str, printed: str) -> None:
    text = shlo.format(shlo.parse(f"module attributes {{x.a = {given}}} {{}}"))
    assert text == f"module attributes {{x.a = {printed}}} {{\n}}\n"


@pytest.mark.parametrize(
    ("constant", "message"),
    [
        ('dense<["a"]> : tensor<2x!stablehlo.token>', "inferred shape of elements literal"),
        ("dense<[1]> : tensor<1x!stablehlo.token>", "expected string token, got 1"),
        ("dense<1.0> : tensor<2xi3>", "expected integer elements, but parsed floating-point"),
        ("dense<5> : tensor<1xi2000>", "a constant cannot have elements of type i2000"),
        ("dense<[1]> : vector<2xi32>", "inferred shape of elements literal"),
    ],
)
def test_wrong_constant(constant: str, message: str) -> None:
    with pytest.raises(shlo.ParseError, match=message):
        shlo.parse(f"module attributes {{x.a = {constant}}} {{}}")


@pytest.mark.parametrize(
    "constant", ['dense<"a"> : !x.y', "sparse<0, 1> : !x.y", 'dense<"a"> : vector<1xf32>']
)
def test_constants_without_an_encoding_are_text(constant: str) -> None:
    text = f"module attributes {{x.a = {constant}}} {{\n}}\n"
    data = shlo.serialize(shlo.parse(text), "bytecode")
    assert f"{constant}\0".encode() in data
    assert shlo.format(shlo.parse(data)) == text


# Digests of whole files.
BUFFERS = (
    ("memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>>", "748c02502056"),
    ("memref<2xf32, strided<[2], offset: 1>>", "53de77d8053b"),
    ("memref<2xf32, 1>", "b22da7c34d5d"),
    ("memref<2xf32, strided<[1]>, 1>", "a7d0f8ceb100"),
    ("memref<2xf32, affine_map<(d0) -> (d0)>>", "241b9e8661d6"),
    ('memref<2xf32, "x">', "ab9abcc460a6"),
    ("memref<?x3xf32, strided<[?, 1], offset: ?>, 2 : i8>", "02f681934894"),
)


@pytest.mark.parametrize(("type", "expected"), BUFFERS)
def test_buffers(type: str, expected: str) -> None:
    """A layout and a memory space; the layout that is none is not printed."""
    module = shlo.parse(f"module attributes {{x.a = {type}}} {{}}", "-")
    data = shlo.serialize(module, "bytecode")
    assert digest(data) == expected
    again = shlo.format(shlo.parse(data))
    assert again == f"module attributes {{x.a = {type.replace(', affine_map<(d0) -> (d0)>', '')}}} {{\n}}\n"


ATTRIBUTES = (
    ("#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=8, j=16, k=8} reduction={j}>", "14d3581b32c3"),
    (
        "#sdy.op_sharding_rule<([ij, k])->([i, jk]) {i=2, j=4, k=8} need_replication={k} "
        "permutation={i} blocked_propagation={j}, custom>",
        "4a4237efe117",
    ),
    ("#sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=4}, custom>", "232993c88b67"),
    ("#sdy.op_sharding_rule<([ijklmnopqrstuvwxyz], [z_1, z_2])->([])>", "8456a92627cb"),
    (
        "#sdy.op_sharding_rule<([ijklmnopqrstuvwxyzz_1z_2])->([i]) {i=2, j=1, k=1, l=1, m=1, n=1, "
        "o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=3, z_1=5, z_2=7} reduction={z, "
        "z_1, z_2}>",
        "32b199afe3fc",
    ),
    ('#sdy.sharding<@mesh, [{"a"}, {"b":(1)2, ?}p1], replicated={"c"}>', "003b722ee71f"),
    ('#sdy.sharding<@mesh, [{"a"}, {}], replicated={"c"}, unreduced={"d"}>', "e18aace47ba8"),
    (
        '#sdy.sharding<mesh<["a"=2, "b"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>, [{"b", "a"}, {?}p0]>',
        "41c9f25b3e41",
    ),
    ('#sdy.mesh<["a"=2, "b"=4]>', "9017b3b797f0"),
    ("#sdy.mesh<[], device_ids=[3]>", "44569a00f8a5"),
    ('#sdy<manual_axes{"a", "b"}>', "24a8c3f78513"),
    ('#sdy<list_of_axis_ref_lists[{"a"}, {"b", "c":(2)4}]>', "7b846efe1594"),
    ('#sdy<axis_ref_list{"a", "b":(1)2}>', "6902758b5110"),
    ('distinct[0]<"x">', "c451491689c7"),
    ("distinct[1]<>", "e686a6735a90"),
    ('tensor<2xf32, "x">', "3ab94be0809c"),
    ("vector<2x[4]xf32>", "cd7454e01fd8"),
    ("complex<f64>", "2b80c891a8e8"),
    ("tuple<i32, f32>", "6bfb5af90536"),
    ("!stablehlo.token", "03b4845fd595"),
    ('#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 2>]>', "e91addc71bd4"),
    ("#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>", "a15d47b5f2cd"),
    ("#stablehlo.type_extensions<bounds = [3, ?]>", "6963a85a1bb8"),
    (
        "#stablehlo.result_accuracy<atol = 1.000000e+00, rtol = 5.000000e-01, ulps = 3, mode = "
        "#stablehlo.result_accuracy_mode<TOLERANCE>>",
        "2f99bb98148b",
    ),
    ("affine_map<(d0, d1)[s0] -> (d0 + s0 * 2, d1 mod 3)>", "e3a05e60cfa1"),
    ("array<i1: true, false>", "27a5431405f7"),
    ("array<f32: 1.000000e+00, -2.500000e+00>", "5ad4afc9ffb0"),
    ("array<i8>", "f5264314456d"),
    ("dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>", "71b2287bb184"),
    ("dense<true> : tensor<4xi1>", "132d5e4077ec"),
    ("dense<[true, false, true]> : tensor<3xi1>", "a6fa72e5227e"),
    ("sparse<[[0, 1]], [3]> : tensor<2x2xi32>", "1d9d865a9c91"),
    ("@a::@b::@c", "ae2a1b356fcf"),
    ("{a = 1 : i8, b = unit}", "b41499eb00b2"),
)


@pytest.mark.parametrize(("attribute", "expected"), ATTRIBUTES)
def test_attributes(attribute: str, expected: str) -> None:
    """Of Shardy, StableHLO and builtin, in the bytes of jaxlib, and read back."""
    text = f"module attributes {{x.a = {attribute}}} {{\n}}\n"
    data = shlo.serialize(shlo.parse(text, "-"), "bytecode")
    assert digest(data) == expected
    assert shlo.format(shlo.parse(data)) == shlo.format(shlo.parse(text))


@pytest.mark.parametrize(
    "line", ["arith.divsi %arg0, %arg0 exact : i32", "arith.extui %arg0 nneg : i32 to i64"]
)
def test_flags_of_operations(line: str) -> None:
    text = f"module {{\n  func.func @f(%arg0: i32) {{\n    %0 = {line}\n    return\n  }}\n}}\n"
    assert shlo.format(shlo.parse(shlo.serialize(shlo.parse(text), "bytecode"))) == text


@pytest.mark.parametrize(
    "number",
    [
        "0x7FC00001 : f32", "0xFFC00000 : f32", "0x7F800001 : f32", "0xFFF8000000000001 : f64",
        "0x7E01 : f16", "0xFFC1 : bf16", "0xFF : f8E5M2", "0xFF : f8E4M3FN",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["bytecode", "portable"])
def test_a_nan_keeps_its_bits(number: str, kind: str) -> None:
    text = f"module {{\n  func.func @f() attributes {{x.a = {number}}} {{\n    return\n  }}\n}}\n"
    module = shlo.parse(text)
    assert number in shlo.format(module)
    assert number in shlo.format(shlo.parse(shlo.serialize(module, kind)))  # type: ignore[arg-type]


@pytest.mark.parametrize("space", ["1", "1 : i32", "0 : i8", '"a"', "#x.y"])
def test_spaces_of_buffers_of_unknown_rank(space: str) -> None:
    """Only of type i64, a number is without its type."""
    text = f"module attributes {{x.a = memref<*xf32, {space}>}} {{\n}}\n"
    module = shlo.parse(text, allow_unregistered=True)
    assert shlo.format(module) == text
    assert shlo.format(shlo.parse(shlo.serialize(module, "bytecode"), allow_unregistered=True)) == text


def test_enumerators_that_an_enumeration_does_not_have() -> None:
    name = "stablehlo.comparison_type"
    assert Encoding.of(VHLO, EnumAttr(name, "SIGNED"), is_type=False).row is not None
    with pytest.raises(NoEncoding):
        Encoding.of(VHLO, EnumAttr(name, "OTHER"), is_type=False)
