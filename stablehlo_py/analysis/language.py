"""The language as text: the grammar of all programs."""

from __future__ import annotations

from stablehlo_py.opset.definition import all_definitions
from stablehlo_py.syntax.lalr.full_grammar import grammar_text


def grammar() -> str:
    """The grammar of StableHLO programs as one Lark file, with the pretty forms of all ops.

    Returns:
        A grammar for `lark.Lark(text, parser="lalr", start="program", maybe_placeholders=True)`.
    """
    text, _ = grammar_text(all_definitions())
    return text
