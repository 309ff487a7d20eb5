"""Spaces of pretty forms: those that MLIR's generator of printers writes around punctuation."""

from __future__ import annotations

import pytest

from stablehlo_py.opset.definition import lookup
from stablehlo_py.syntax.forms.assembly_format import parse_form
from stablehlo_py.syntax.forms.write import _Compiler
from stablehlo_py.syntax.lalr.full_grammar import is_several


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("`a` `b`", " a b"),
        ("`a` `,` `b`", " a, b"),
        ("`(` `a` `)` `b`", "(a) b"),
        ("`a` `(` `b` `)`", " a(b)"),
        ("`a` `<` `b` `>` `:` `c`", " a<b> : c"),
        ("`[` `]` `[` `]`", "[] []"),
        ("`{` `}` `(` `)`", "{} ()"),
        ("`x` `=` `(` `y` `)`", " x = (y)"),
        ("`x` `->` `(`", " x -> ("),
        ("`=` `)`", " =)"),
        ("`,` `>`", ",>"),
        ("`,` `<`", ", <"),
        ("`_a` `(`", " _a("),
        ("`a` `` `b`", " ab"),
        ("`a` ` ` `b`", " a b"),
        ("`a` `` `(`", " a("),
        ("$operand", " ."),
        ("`(` $operand `)`", "(.)"),
        ("`a` `` $operand", " a."),
        ("`a` ` ` $operand", " a  ."),
        ("`=` $operand `,` $operand", " = ., ."),
        ("$operand `(` $operand `)`", " .(.)"),
    ],
)
def test_spaces(form: str, text: str) -> None:
    """A full stop stands for what is written there."""
    definition = lookup("stablehlo.abs")
    assert definition is not None
    steps = _Compiler(definition).steps(parse_form(form))
    assert "".join([step if isinstance(step, str) else "." for step in steps]) == text


@pytest.mark.parametrize(
    ("op", "name", "several"),
    [
        ("stablehlo.abs", "operand", False),
        ("stablehlo.abs", "operands", True),
        ("stablehlo.abs", "results", True),
        ("stablehlo.abs", "result", False),
        ("stablehlo.concatenate", "inputs", True),
        ("stablehlo.while", "operand", True),
        ("stablehlo.while", "results", True),
        ("stablehlo.case", "index", False),
    ],
)
def test_lists_of_types(op: str, name: str, several: bool) -> None:
    definition = lookup(op)
    assert definition is not None
    assert is_several(name, definition) == several


@pytest.mark.parametrize("form", ["`a", "$", "custom<", "type($a", "`a` ) `b`", "`a` ?"])
def test_malformed_form(form: str) -> None:
    with pytest.raises(ValueError, match=r"malformed assembly format at "):
        parse_form(form)
