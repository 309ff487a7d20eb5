"""Storage types of quantized operands that differ in their signs: the verdicts of the C++ verifier."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo

ADD = """func.func @main(%x: tensor<2x{0}>, %y: tensor<2x{1}>) {{
  %0 = stablehlo.add %x, %y : (tensor<2x{0}>, tensor<2x{1}>) -> tensor<2x{2}>
  return
}}"""
# The storage types of operands and result, and the constraints that C++ has for them. To MLIR, `u8` is `i8`
# with a flag, and `ui8` a type of its own.
STORAGE = [
    ("u8", "u8", "u8", set()),
    ("ui8", "ui8", "ui8", set()),
    ("i8", "u8", "i8", set()),
    ("u8", "i8", "u8", set()),
    ("i8", "i8<-3:5>", "i8", set()),
    ("u8", "ui8", "u8", {"add.C3"}),
    ("ui8", "u8", "ui8", {"add.C3"}),
    ("u8", "u8", "ui8", {"add.C3", "add.U2"}),
    ("i8", "u8", "u8", {"add.U2"}),
    ("i8", "i8", "i8<-3:5>", {"add.U2"}),
]


@pytest.mark.parametrize(("lhs", "rhs", "result", "broken"), STORAGE)
def test_storage_types_of_a_sum(lhs: str, rhs: str, result: str, broken: set[str]) -> None:
    types = [f"!quant.uniform<{storage}:f32, 1.0>" for storage in (lhs, rhs, result)]
    found = shlo.verify(shlo.parse(ADD.format(*types)))
    assert {d.code for d in found if d.severity == "error"} == broken


def test_a_signed_storage_type_is_kept_where_no_op_has_it() -> None:
    type = "!quant.uniform<si8:f32, 1.000000e+00>"
    module = shlo.parse(f"func.func private @f(tensor<2x{type}>)")
    assert shlo.verify(module) == [] and type in shlo.format(module)
    again = shlo.parse(shlo.serialize(module, "bytecode"))
    assert shlo.format(again) == shlo.format(module)
