"""Blanks and comments inside of numbers, uses of results and names of attributes, as MLIR has them."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.locations import Source
from stablehlo_py.syntax.parser import parse_recovering

GAPS = (" ", "\n", "\t ", "\r\n", " // c\n")
# GAP stands where MLIR accepts blanks; the text behind the arrow is what is printed.
ACCEPTED = [
    ("module attributes {a.b = -GAP1 : i32} {}", "-1 : i32"),
    ("module attributes {a.b = -GAP1.5 : f32} {}", "-1.500000e+00 : f32"),
    ("module attributes {a.b = -GAP0x1F : i32} {}", "-31 : i32"),
    ("module attributes {a.b = dense<-GAP1> : tensor<2xi32>} {}", "dense<-1>"),
    ("module attributes {a.b = dense<[-GAP1, 2]> : tensor<2xi32>} {}", "dense<[-1, 2]>"),
    ("module attributes {a.b = dense<(-GAP1.0, 2.0)> : tensor<complex<f32>>} {}", "(-1.000000e+00,"),
    ("module attributes {a.b = sparse<[[0]], [-GAP1]> : tensor<2xi32>} {}", "sparse<0, -1>"),
    ("module attributes {a.b = array<i64: -GAP1, 2>} {}", "array<i64: -1, 2>"),
    ("module attributes {a.b = @x:GAP:@y} {}", "@x::@y"),
    ('module attributes {a.b = "- 1", a.c = -GAP1 : i32} {}', 'a.b = "- 1"'),
    ('module attributes {a.b = "#x.y <", a.c = -GAP1 : i32} {}', 'a.b = "#x.y <"'),
    (
        "func.func @m(%x: tensor<2x!quant.uniform<i8<-GAP128:127>:f32, 1.0:-GAP3>>) {return}",
        "!quant.uniform<i8:f32, 1.000000e+00:-3>",
    ),
    (
        '%0:2 = "a.b"() : () -> (i32, i32)\n "a.c"(%0GAP#1) : (i32) -> ()',
        '"a.c"(%0#1)',
    ),
]  # fmt: skip


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize(("text", "printed"), ACCEPTED)
def test_gaps_that_mlir_accepts(text: str, printed: str, gap: str) -> None:
    module = shlo.parse(text.replace("GAP", gap), allow_unregistered=True)
    assert printed in shlo.format(module)
    assert shlo.format(module) == shlo.format(shlo.parse(text.replace("GAP", ""), allow_unregistered=True))


@pytest.mark.parametrize("gap", [*GAPS, " " * 100])
@pytest.mark.parametrize(
    "text",
    [
        "module attributes {a.b = #stablehlo.channel_handleGAP<handle = 1, type = 2>} {}",
        "module attributes {a.b = #stablehloGAP<channel_handle<handle = 1, type = 2>>} {}",
        "func.func @m(%x: tensor<2x!quant.uniformGAP<i8:f32, 1.0>>) {return}",
        "func.func @m(%x: tensor<?xf32, #stablehlo.boundsGAP<4>>) {return}",
        "module attributes {a.b = #foo.b_GAP<1>} {}",
        "module attributes {a.b = #foo.b-GAP<1>} {}",
    ],
)
def test_gaps_that_mlir_refuses(text: str, gap: str) -> None:
    shlo.parse(text.replace("GAP", ""))
    with pytest.raises(shlo.ParseError, match="expected '<' directly after") as caught:
        shlo.parse(text.replace("GAP", gap))
    assert caught.value.diagnostics[0].line == 1


def test_a_gap_in_a_part_of_a_file() -> None:
    source = Source("notes", 'text\n"#x.y <1>"\nmodule attributes {a.b = #x.y <1>} {}\n')
    found = parse_recovering(source.part(16, len(source.text)), False, False).diagnostics
    assert [(d.line, d.column) for d in found if "directly" in d.message] == [(3, 26)]


def test_an_error_behind_a_gap_has_its_position() -> None:
    with pytest.raises(shlo.ParseError) as caught:
        shlo.parse("module attributes {a.b = - 1 : i32, a.c = ?} {}")
    assert caught.value.diagnostics[0].column == 43
