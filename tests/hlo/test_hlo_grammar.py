"""The grammar of HLO text: plain Lark parses what the package's own parser reads."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import lark
import pytest

from stablehlo_py.hlo.full_grammar import hlo_grammar
from stablehlo_py.hlo.opcodes import opcodes
from stablehlo_py.hlo.parser import parse_hlo

TEXTS = Path(__file__).parent.parent.parent / "testdata" / "hlo"


@cache
def plain_parser() -> lark.Lark:
    """Lark with its own lexer and parser."""
    return lark.Lark(hlo_grammar(), parser="lalr", start=["text", "single"])


@pytest.mark.parametrize("path", sorted(TEXTS.glob("*.*")), ids=lambda path: path.stem)
def test_lark_parses_valid_texts(path: Path) -> None:
    if path.suffix != ".md":
        start = "single" if path.name == "NontupleInfeed_4.hlo" else "text"
        assert plain_parser().parse(path.read_text(), start=start).data == start


@pytest.mark.parametrize(
    "text",
    [
        "f32[2] add(f32[2] %x, f32[3] %y z)",
        "f32[2 add(f32[2] %x, f32[2] %y)",
        "f32[2] negate(f32[2] %x), colour=3",
        "f32[2] negate(f32[2] %x), sharding={devices=2,2}",
        "f32[2] slice(f32[2] %x), slice={[1]}",
    ],
)
def test_neither_parser_takes_others(text: str) -> None:
    with pytest.raises(lark.UnexpectedInput):
        plain_parser().parse(text, start="single")
    with pytest.raises(Exception, match="error"):
        parse_hlo(text)


def test_every_attribute_of_every_row_is_in_the_grammar() -> None:
    text = hlo_grammar()
    assert all(f'"{name}="' in text for row in opcodes().values() for name in row.accepted)
