"""Blanks inside of what the tables read as one token, which MLIR's lexer cuts into several.

MLIR accepts blanks between a sign and its number, a value and the number of its result (`%0 #1`), and the
colons of a nested symbol. It refuses them between the name of a dialect's attribute or type and its `<`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stablehlo_py.syntax.errors import SourceError

_BLANKS = r"[ \t\r\n]"
_STRING = r'"(?:[^"\\\n]|\\.)*+"'
# Each begins with a character that is searched fast; most programs have no gap.
_GAPS = re.compile(rf"-{_BLANKS}+\d|:{_BLANKS}+:")
_NUMBER = re.compile(rf"{_BLANKS}#\d")
_NEAR = 64  # characters before a bracket
_JOINED = re.compile(
    rf"(?P<string>{_STRING})|-(?P<sign>{_BLANKS}+)(?=\d)|(?P<value>%[\w$.-]+)(?P<result>{_BLANKS}+)(?P<number>#\d+)"
    rf"|:(?P<colon>{_BLANKS}+):(?={_BLANKS}*@)",
    re.ASCII,
)
_APART = re.compile(rf"{_STRING}|(?P<name>[#!][A-Za-z_][\w$.-]*){_BLANKS}+<", re.ASCII)


def joined(text: str) -> str:
    """Return a text of the same length in which the parts of a token are next to each other.

    Args:
        text: A program without comments.
    """
    if _GAPS.search(text) or (_follows_blank(text, "#") and _NUMBER.search(text)):
        return _JOINED.sub(_closed, text)
    return text


def _follows_blank(text: str, character: str) -> bool:
    """Test whether a character follows a blank somewhere; faster than the search for a pattern."""
    return any(blank + character in text for blank in " \t\r\n")


def _closed(match: re.Match[str]) -> str:
    if match["sign"]:
        return match["sign"] + "-"
    if match["colon"]:
        return "::" + match["colon"]
    return match[0] if match["string"] else match["value"] + match["number"] + match["result"]


def apart(text: str, start: int) -> Iterator[SourceError]:
    """Yield an error for each name that is apart from its `<`.

    Args:
        text: A program without comments.
        start: The offset of the text.
    """
    if not _follows_blank(text, "<"):
        return
    if not any(_follows_name(text, match.start()) for match in re.finditer("<", text)):
        return
    for match in _APART.finditer(text):
        if match["name"]:
            message = f"expected '<' directly after {match['name']}, found blanks"
            yield SourceError(start + match.start(), message)


def _follows_name(text: str, at: int) -> bool:
    """Return True if blanks, and before them what may be a name, precede an offset."""
    before = text[at - 1 : at]
    if not before.isspace():
        return False
    last = text[max(at - _NEAR, 0) : at].rstrip()[-1:]
    return not last or last.isalnum() or last in "_$.-"
