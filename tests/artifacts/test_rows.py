"""Entries of types that few files have. Their bytes are those that jaxlib 0.10.2 writes."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize("number", ["1.0 : f80", "1.0 : f128"])
def test_wide_numbers_are_stored_as_text(number: str) -> None:
    module = shlo.parse(f"module attributes {{x.a = {number}}} {{}}")
    data = shlo.serialize(module, "bytecode")
    assert number.replace("1.0", "1.000000e+00").encode() in data
    assert shlo.format(shlo.parse(data)) == shlo.format(module)


@pytest.mark.parametrize(
    "line", ["arith.divsi %arg0, %arg0 exact : i32", "arith.extui %arg0 nneg : i32 to i64"]
)
def test_flags_of_operations(line: str) -> None:
    text = f"module {{\n  func.func @f(%arg0: i32) {{\n    %0 = {line}\n    return\n  }}\n}}\n"
    assert shlo.format(shlo.parse(shlo.serialize(shlo.parse(text), "bytecode"))) == text
