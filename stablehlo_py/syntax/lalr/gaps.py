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
# Each begins with a character, which is searched faster than a choice of them; most programs have no gap.
_GAPS = [
    re.compile(pattern)
    for pattern in (rf"-{_BLANKS}+\d", rf":{_BLANKS}+:", *[rf"{blank}#\d" for blank in " \t\r\n"])
]
_NEAR = 64  # characters before a bracket
_JOINED = (  # compiled when it is needed, as few programs do
    rf"(?P<string>{_STRING})|-(?P<sign>{_BLANKS}+)(?=\d)|(?P<value>%[\w$.-]+)(?P<result>{_BLANKS}+)(?P<number>#\d+)"
    rf"|:(?P<colon>{_BLANKS}+):(?={_BLANKS}*@)"
)
_APART = rf"{_STRING}|(?P<name>[#!][A-Za-z_][\w$.-]*){_BLANKS}+<"


def joined(text: str) -> str:
    """Return a text of the same length in which the parts of a token are next to each other.

    Args:
        text: A program without comments.
    """
    if any(gap.search(text) for gap in _GAPS):
        return re.sub(_JOINED, _closed, text, flags=re.ASCII)
    return text


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
    places = [match.end() - 1 for blank in " \t\r\n" for match in re.finditer(f"{blank}<", text)]
    if not any(_follows_name(text, place) for place in places):
        return
    for match in re.finditer(_APART, text, re.ASCII):
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
