"""Plain Lark's trees of programs, and those of the package's parse loop: they are the same."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import lark
import pytest

import stablehlo_py as shlo
from stablehlo_py.analysis.language import grammar
from stablehlo_py.syntax.lalr.comments import blank_comments
from stablehlo_py.syntax.lalr.lexer import Tokens, inner_lexer, program_lexer
from stablehlo_py.syntax.lalr.parse_loop import REPEATED, driver, moved
from stablehlo_py.syntax.lalr.tables import STARTS, load_tables

SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)
# The rule that the text of a composite is parsed by.
INSIDE = {"TYPE": "type", "FUNCTION_TYPE": "type", "ATTRIBUTE": "attribute", "LOCATION": "location"}


@cache
def plain_parser() -> lark.Lark:
    """Lark with its own lexer and parser."""
    return lark.Lark(
        grammar(), parser="lalr", start=list(STARTS), maybe_placeholders=True, propagate_positions=True
    )


def extent(tree: Any) -> tuple[int, int]:
    """Where a tree or a token of Lark starts and ends."""
    place = tree if isinstance(tree, lark.Token) else tree.meta
    return place.start_pos, place.end_pos


def assert_same(node: Any, tree: Any, tokens: Tokens) -> None:
    """Our tree and Lark's: the same rules and children, and every token of ours where Lark's tree has it."""
    if not isinstance(node, tuple):
        assert_same_leaf(node, tree, tokens)
        return
    if node[0] == REPEATED:
        _, _, distance, first = node
        node = moved(first, distance)
    name, *children = node
    if name == "op":
        del children[-1]  # the index of the next token
    assert isinstance(tree, lark.Tree)
    assert (name, len(children)) == (tree.data, len(tree.children))
    for child, other in zip(children, tree.children, strict=True):
        assert_same(child, other, tokens)


def assert_same_leaf(token: int | None, tree: Any, tokens: Tokens) -> None:
    """A token of ours is Lark's; a composite spans what Lark's tree spans, and has the same inside."""
    if token is None or tree is None:
        assert token is tree
        return
    assert extent(tree) == (tokens.start(token), tokens.end(token))
    names = {number: name for name, number in load_tables().terminals.items()}
    start = INSIDE.get(names[tokens.kinds[token]])
    if start is None or isinstance(tree, lark.Token) or tree.data == "inputs_and_outputs":
        return
    inner = inner_lexer().tokens(tokens.texts[token], tokens.start(token))
    if len(inner.kinds) > 2:  # more than the composite itself and the end
        assert_same(driver().parse(inner, start), tree, inner)


def compare(text: str) -> bool:
    """Compares the trees of a program; False if the program is not one, for us and for Lark."""
    tokens = program_lexer().tokens(blank_comments(text)[0])
    parsed = driver().parse_program(tokens)
    if parsed.unexpected:
        return False
    try:
        tree = plain_parser().parse(text, start="program")
    except lark.exceptions.LarkError:
        with pytest.raises(shlo.ParseError):  # the inside of a composite, which is parsed when it is read
            shlo.parse(text, allow_unregistered=True)
        return False
    assert_same(parsed.tree, tree, tokens)
    return True


def compare_files(paths: list[Path]) -> int:
    """Compares the trees of all programs of files; gives the number of programs that parse."""
    return sum(compare(text) for path in paths for text in SPLIT.split(path.read_text(encoding="utf-8")))
