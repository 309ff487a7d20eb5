"""`mhlo.layout_mode` of inputs and outputs."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo


def findings(mode: str, type: str = "tensor<2x3xf32>") -> list[shlo.Diagnostic]:
    text = (
        f"func.func @main(%a: {type} {{mhlo.layout_mode = {mode}}}) -> {type} {{\n  return %a : {type}\n}}\n"
    )
    return shlo.verify(shlo.parse(text))


@pytest.mark.parametrize("mode", ['"default"', '"auto"', '"{1,0}"', '"{0,1}"', '"{1,0:T(8,128)(2,1)S(5)}"'])
def test_modes(mode: str) -> None:
    assert findings(mode) == []


def test_modes_of_sizes_that_are_not_known() -> None:
    assert findings('"{0,1}"', "tensor<?x3xf32>") == []


def test_tokens_have_no_layout_and_may_say_default() -> None:
    assert findings('"default"', "!stablehlo.token") == []
    (found,) = findings('"{}"', "!stablehlo.token")
    assert "only tensors have a layout, not !stablehlo.token" in found.message


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ('"{0}"', "layout {0} has 1 dimension, but the shape has 2 (tensor<2x3xf32>)"),
        ('"{0,0}"', "minor_to_major must be a permutation of 0 to 1, got [0, 0]"),
        ('"{0,1"', "expected '}' at column 5, found the end"),
        ('"row"', 'expected "default", "auto" or a layout such as "{1,0}", found "row"'),
        ("1 : i32", "found 1 : i32"),
    ],
)
def test_what_is_no_layout_is_a_warning_where_the_input_is(mode: str, message: str) -> None:
    (found,) = findings(mode)
    assert found.severity == "warning" and found.code == "layout"
    assert found.message.startswith("mhlo.layout_mode of input 0: ") and message in found.message
    assert (found.line, found.column) == (1, 17)


def test_outputs_and_functions_without_a_body() -> None:
    mode = '{mhlo.layout_mode = "{2}"}'
    text = f"func.func private @f(tensor<3xf32> {mode}) -> (tensor<3xf32>, tensor<3xf32> {mode})\n"
    found = shlo.verify(shlo.parse(text))
    assert [d.message.partition(" of ")[2].partition(":")[0] for d in found] == ["input 0", "output 1"]
    assert {(d.line, d.column) for d in found} == {(1, 1)}
