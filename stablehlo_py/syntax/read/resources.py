"""`{-# dialect_resources: {...} #-}`: named blobs of bytes after a program."""

from __future__ import annotations

import re

from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.read.context import ParserState

_BLANKS = r"(?:\s|//[^\n]*)*+"
_CHARACTERS = r'[^"\\]*+(?:\\.[^"\\]*+)*+'
_SECTION = re.compile(rf"{_BLANKS}([\w.]+){_BLANKS}:{_BLANKS}\{{", re.ASCII)
_ENTRY = re.compile(
    rf'{_BLANKS}(?:([\w.$-]+)|"({_CHARACTERS})"){_BLANKS}:{_BLANKS}(?:"({_CHARACTERS})"|true|false){_BLANKS},?'
)
_BLANK = re.compile(_BLANKS)
_EXTERNAL = "external_resources"
_CLOSE = re.compile(rf"{_BLANKS}\}}{_BLANKS},?")


def read_resources(text: str, offset: int, parser_state: ParserState) -> None:
    """Read the sections `dialect_resources` and `external_resources`, whose values are of any kind.

    A blob is a string of hexadecimal digits; its first four bytes are the alignment, little endian.

    Args:
        text: The section, with its delimiters.
        offset: The offset of the section.
        parser_state: The state that the resources are added to.

    Raises:
        SourceError: The section is malformed.
    """
    parser_state.resource_text = text
    at, end, depth, outer = 3, len(text) - 3, 0, ""
    while not _BLANK.fullmatch(text, at, end):
        section = _SECTION.match(text, at, end) if depth < 2 else None
        outer = section[1] if section and not depth else outer
        entry = _ENTRY.match(text, at, end) if section is None and depth == 2 else None
        close = _CLOSE.match(text, at, end) if section is None and entry is None and depth else None
        found = section or entry or close
        if found is None:
            raise SourceError(offset + at, 'expected `name: { key: "0x..." }` in dialect_resources')
        depth += 1 if section else -1 if close else 0
        if entry and entry[3] is not None and outer != _EXTERNAL:
            parser_state.resources[entry[1] or entry[2]] = _blob(entry[3], offset + entry.start(3))
        at = found.end()
    if depth:
        raise SourceError(offset + end, "expected '}' after dialect_resources")


def _blob(text: str, offset: int) -> bytes:
    if not text.startswith("0x") or len(text) % 2:
        raise SourceError(offset, "expected hex string blob for key")
    try:
        raw = bytes.fromhex(text[2:])
    except ValueError:
        raise SourceError(offset, "expected hex string blob for key") from None
    if len(raw) < 4:
        raise SourceError(offset, "expected hex string blob for key, with at least 4 bytes of alignment")
    return raw[4:]
