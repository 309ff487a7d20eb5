"""Entries of types that few files have. Their bytes are those that jaxlib 0.10.2 writes."""

from __future__ import annotations

import pytest
from make_recorded_artifacts import digest

import stablehlo_py as shlo

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


CONSTANTS = (
    (
        "dense<[1.000000e+00, 0.100000000000000005551]> : tensor<2xf80>",
        "290000000000000080ff3f00d0ccccccccccccfb3f",
    ),
    ("dense<[1.000000e+00, 2.500000e+00]> : tensor<2xtf32>", "0d00fc01000102"),
    ("dense<2.500000e+00> : tensor<2xf128>", "21" + "00" * 13 + "400040"),
    ("dense<[1, -2]> : tensor<2xi128>", "4101" + "00" * 15 + "fe" + "ff" * 15),
    ("dense<[1, -2]> : tensor<2xi3>", "050106"),
    ("dense<(1,2)> : tensor<2xcomplex<i32>>", "110100000002000000"),
    ("dense<[1.500000e+00, 2.500000e+00]> : vector<2xf32>", "110000c03f00002040"),
    ("dense<[1, 2]> : vector<[2]xi32>", "110100000002000000"),
    ("dense<1> : memref<4xi32>", "0901000000"),
    ('dense<["a", "b"]> : tensor<2x!stablehlo.token>', "270101090b"),
    ("sparse<[[0], [2]], [1.500000e+00, 2.500000e+00]> : vector<4xf32>", "2903070925"),
    ("-1 : i32", "1101d0ffffff3f"),
    ("-1.000000e+00 : f32", "1301100000e02f"),
    ("-0.000000e+00 : tf32", "1301040040"),
    ("0.100000000000000005551 : f80", "13010500ff5f666666666666b4ff03"),
    ("0.100000000000000005551115123125782702 : f128", "13010500ffffffffffffffbf00323333333333f77f"),
)


@pytest.mark.parametrize(("constant", "entry"), CONSTANTS)
def test_constant(constant: str, entry: str) -> None:
    text = f"module attributes {{x.a = {constant}}} {{\n}}\n"
    assert shlo.format(shlo.parse(text)) == text
    data = shlo.serialize(shlo.parse(text), "bytecode")
    assert bytes.fromhex(entry) in data
    assert shlo.format(shlo.parse(data)) == text


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


@pytest.mark.parametrize(
    "line", ["arith.divsi %arg0, %arg0 exact : i32", "arith.extui %arg0 nneg : i32 to i64"]
)
def test_flags_of_operations(line: str) -> None:
    text = f"module {{\n  func.func @f(%arg0: i32) {{\n    %0 = {line}\n    return\n  }}\n}}\n"
    assert shlo.format(shlo.parse(shlo.serialize(shlo.parse(text), "bytecode"))) == text
