"""Operations that read as an earlier one but for names: they are parsed once, and each has its own place."""

from __future__ import annotations

import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.core import Operation
from stablehlo_py.ir.locations import FileLoc
from stablehlo_py.syntax.lalr.lexer import program_lexer
from stablehlo_py.syntax.lalr.parse_loop import REPEATED, driver


def function(*lines: str) -> str:
    """A function of two arguments; `lines` begin at line 3."""
    head = [
        "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) {",
        "  %h = stablehlo.negate %a : tensor<2xf32>",
    ]
    return "\n".join([*head, *lines, "  %t = stablehlo.negate %a : tensor<2xf32>", "  func.return", "}"])


def ops(text: str) -> list[Operation]:
    """The operations of the lines of `function`."""
    return shlo.parse(text).functions["main"].regions[0].block.ops[1:-2]


ADD = "  {} = stablehlo.add {}, {} : tensor<2xf32>"


def test_parsed_once() -> None:
    text = function(ADD.format("%0", "%a", "%b"), ADD.format("%1", "%0", "%0"), ADD.format("%2", "%1", "%a"))
    tree = driver().parse_program(program_lexer().tokens(text)).tree
    assert repr(tree).count(f"'{REPEATED}'") == 2


def test_operands_names_and_positions() -> None:
    first, second = ops(
        function("", ADD.format("%sum", "%a", "%b"), "  // comment", ADD.format("%x", "%sum", "%a"))
    )
    assert [operand.name for operand in second.operands] == ["sum", "a"]
    assert second.result.name == "x"
    assert second.operands[0] is first.result
    module = shlo.parse(function(ADD.format("%sum", "%a", "%b"), ADD.format("%x", "%sum", "%a")))
    _, _, second, _, _ = module.functions["main"].regions[0].block.ops
    assert module.position(second) == (4, 8)
    assert module.source.text[second.offset : second.end] == "stablehlo.add %sum, %a : tensor<2xf32>"


def test_attributes_and_results_are_their_own() -> None:
    line = '  {}:2 = "stablehlo.custom_call"(%a) <{{call_target_name = "f"}}> {{k = 1 : i32}} '
    line += ": (tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>)"
    first, second, third = ops(function(line.format("%p"), line.format("%q"), ADD.format("%2", "%q", "%p#0")))
    del first.properties["call_target_name"], first.attributes["k"]
    assert list(second.properties) == ["call_target_name"]
    assert list(second.attributes) == ["k"]
    assert list(third.operands) == [second.results[0], first.results[0]]


def test_locations() -> None:
    line = ADD + ' loc("{}":{}:1)'
    found = ops(function(line.format("%0", "%a", "%b", "f", 1), line.format("%1", "%a", "%b", "g", 2)))
    assert [op.location for op in found] == [FileLoc("f", 1, 1), FileLoc("g", 2, 1)]


def test_locations_in_attributes_are_their_own() -> None:
    line = '  {} = stablehlo.negate %a {{k = loc("{}":1:1)}} : tensor<2xf32>'
    first, second, third = ops(function(*(line.format(f"%{name}", name) for name in "fgi")))
    found = [str(op.attributes["k"]) for op in (first, second, third)]
    assert found == ['loc("f":1:1)', 'loc("g":1:1)', 'loc("i":1:1)']


def test_reductions() -> None:
    line = "  {} = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [0] "
    line += ": (tensor<2xf32>, tensor<f32>) -> tensor<f32>"
    constant = "  %c = stablehlo.constant dense<0.0> : tensor<f32>"
    _, first, second = ops(function(constant, line.format("%0"), line.format("%1")))
    assert first.regions[0] is not second.regions[0]
    assert [op.name for op in second.regions[0].block.ops] == ["stablehlo.add", "stablehlo.return"]
    assert second.regions[0].parent is second


def test_calls_belong_to_the_dialect_of_their_parent() -> None:
    text = "func.func @f() { return }\nfunc.func @g() { return }\nreturn"
    with pytest.raises(shlo.ParseError) as failure:
        shlo.parse(text)
    (found,) = failure.value.diagnostics
    assert (found.line, found.message) == (3, "custom op 'builtin.return' is unknown")


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        (ADD.format("%2", "%0", "%1"), 26, "use of value '%1' expects different type than prior uses"),
        (ADD.format("%0", "%a", "%b"), 3, "redefinition of SSA value '%0'"),
        (ADD.format("%2", "%a", "%none"), 26, "use of undeclared SSA value name %none"),
        (ADD.format("%2", "%a", "%0#1"), 26, "reference to invalid result number 1 of %0"),
        (ADD.format("%2#0", "%a", "%b"), 3, "expected '=' after SSA name"),
        (ADD.format("%2:2", "%a", "%b"), 3, "operation defines 1 results but was provided 2 to bind"),
        (ADD.format("%2", "%a", "%b") + ' loc("f":1)', 54, "expected ':'"),
        (ADD.format("%2", "%a", "%"), 26, "expected a value such as %0, found '%'"),
    ],
)
def test_errors_are_at_the_repeated_op(line: str, column: int, message: str) -> None:
    convert = "  %1 = stablehlo.convert %0 : (tensor<2xf32>) -> tensor<2xi32>"
    with pytest.raises(shlo.ParseError) as failure:
        shlo.parse(function(ADD.format("%0", "%a", "%b"), convert, line))
    found = {(d.line, d.column): d.message for d in failure.value.diagnostics}
    assert message in found[5, column]


def test_a_word_is_not_a_location() -> None:
    line = ADD.format("%{}", "%a", "%b")
    text = function(line.format(0) + ' loc("f":1:1)', line.format(1) + " loc", line.format(2))
    with pytest.raises(shlo.ParseError) as failure:
        shlo.parse(text)
    (found,) = failure.value.diagnostics
    assert found.message == "expected '(', found '%2'"


def test_every_old_spelling_and_misspelling_is_recorded() -> None:
    line = "  {} = stablehlo.transpose %a, dims = [+0] : (tensor<2xf32>) -> tensor<2xf32>"
    module = shlo.parse(function(line.format("%0"), line.format("%1"), line.format("%2")))
    assert [d.line for d in shlo.verify(module) if d.code == "spelling"] == [3, 4, 5]


def test_violations_are_reported_for_every_op() -> None:
    line = "  {} = stablehlo.transpose %a, dims = [1] : (tensor<2xf32>) -> tensor<2xf32>"
    module = shlo.parse(function(line.format("%0"), line.format("%1"), line.format("%2")))
    assert sorted({d.line for d in shlo.verify(module)}) == [3, 4, 5]
