"""The grammar of HLO text: plain Lark parses what the package's own parser reads."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import lark
import pytest
from stablehlo_py.grammar import grammar_folder

from stablehlo_py.hlo.opcodes import COMMON, opcodes
from stablehlo_py.hlo.parser import parse_hlo

TEXTS = Path(__file__).parent.parent.parent / "testdata" / "hlo"

_RULES = {  # the rule or terminal of a kind, where it has another name
    **dict.fromkeys(("int", "count", "dimension"), "INTEGER"),
    **dict.fromkeys(("bool", "flag"), "bool"),
    **dict.fromkeys(("axis", "dims"), "ints"),
    **dict.fromkeys(("text", "target", "thread"), "STRING"),
    **dict.fromkeys(("nonempty_lists", "pairs"), "int_lists"),
    **dict.fromkeys(
        (
            "word", "algorithm", "direction", "comparison", "convolution_kind", "fusion_kind", "fft_type",
            "distribution", "rng_algorithm", "transpose", "padding_type", "schedule", "api_version",
            "ignored",
        ),
        "NAME",
    ),
    "float": "number",
    "precision": "words",
    "computation": "called",
    "computations": "called_list",
    "instructions": "names",
    "literal": "literal_with_shape",
    "dim_labels": "DIM_LABELS",
    "padding": "PAD",
    "backend_config": "config",
}  # fmt: skip
_TOGETHER = {frozenset(["ints", "int_lists"]): ["ints_or_lists"]}  # what one token does not tell apart


def hlo_grammar() -> str:
    """The grammar with the attributes of all rows of opcodes; its start symbols are `text` and `single`."""
    found: dict[str, set[str]] = {}
    for row in opcodes().values():
        for name, attribute in (row.attributes | COMMON).items():
            found.setdefault(name, set()).add(_RULES.get(attribute.kind, attribute.kind))
    found["async_execution_thread"] = {"STRING"}
    alternatives = [
        f'"{name}=" {rule}'
        for name, rules in sorted(found.items())
        for rule in _TOGETHER.get(frozenset(rules), sorted(rules))
    ]
    rule = "attribute: " + "\n    | ".join(alternatives)
    text = (grammar_folder() / "hlo.lark").read_text(encoding="utf-8")
    return f"{text}\n// Attributes, by the rows of opcodes.\n{rule}\n"


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
