"""Comments: taken from a text before it is cut into tokens, which leaves blanks in their places.

A comment may stand wherever blanks may, inside of types, attributes and locations as well. Strings, resources
and the brackets of an attribute or type of an unknown dialect keep their text: a comment there is part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stablehlo_py.syntax.lalr.full_grammar import DIALECT_NAMES

Comment = tuple[int, str]  # its offset and its text

_MARK = "//"
_STRING = r'"(?:[^"\\\n]++|\\.)*+"'
_KNOWN = "|".join(re.escape(name[1:]) for name in sorted({*DIALECT_NAMES, "#quant"}))
_OPAQUE = rf"(?:#|!)(?!(?:{_KNOWN})\b)[\w$.\-]++<"
_RESOURCES = r"\{-\#"
_IN_LINE = re.compile(rf"{_STRING}|(?P<comment>//.*+)")
_KEPT = re.compile(rf"{_OPAQUE}|{_RESOURCES}", re.ASCII)
_ANYWHERE = re.compile(
    rf"{_STRING}|(?P<comment>//[^\n]*+)|(?P<opaque>{_OPAQUE})|(?P<resources>{_RESOURCES})", re.ASCII
)
_BRACKET = re.compile(rf"{_STRING}|->|[<>()\[\]{{}}]")
_CLOSERS = {"<": ">", "(": ")", "[": "]", "{": "}"}


def blank_comments(text: str) -> tuple[str, list[Comment]]:
    """Return a text with blanks in place of its comments, and the comments.

    Args:
        text: The text of a program, type or attribute.
    """
    if _MARK not in text:
        return text, []
    find = _anywhere if _KEPT.search(text) else _by_line
    found = list(find(text))
    parts, at = [], 0
    for offset, comment in found:
        parts += [text[at:offset], " " * len(comment)]
        at = offset + len(comment)
    return "".join([*parts, text[at:]]), found


def _by_line(text: str) -> Iterator[Comment]:
    """Find the comments of a text without opaque brackets: only the lines with a mark are searched."""
    at = text.find(_MARK)
    while at >= 0:
        start, stop = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        if text.find('"', start, at) < 0:
            yield at, text[at:stop]
        else:
            yield from ((m.start(), m[0]) for m in _IN_LINE.finditer(text, start, stop) if m["comment"])
        at = text.find(_MARK, stop)


def _anywhere(text: str) -> Iterator[Comment]:
    """Find the comments of a text in order, past all brackets that keep their text."""
    at = 0
    while match := _ANYWHERE.search(text, at):
        at = match.end()
        if match["comment"]:
            yield match.start(), match[0]
        elif match["opaque"]:
            at = _closing(text, at)
        elif match["resources"]:
            stop = text.find("#-}", at)
            at = len(text) if stop < 0 else stop


def _closing(text: str, at: int) -> int:
    """Return the offset after the bracket that closes the one before an offset; that offset if none does."""
    expected = [">"]
    for match in _BRACKET.finditer(text, at):
        bracket = match[0]
        if bracket in _CLOSERS:
            expected.append(_CLOSERS[bracket])
        elif bracket == expected[-1]:
            expected.pop()
            if not expected:
                return match.end()
        elif bracket in _CLOSERS.values():
            break
    return at
