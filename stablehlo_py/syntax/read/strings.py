"""String literals and symbols."""

from __future__ import annotations

import re

from stablehlo_py.syntax.errors import SourceError
from stablehlo_py.syntax.read.context import ReadContext

_ESCAPE = re.compile(r'\\(?:([0-9a-fA-F]{2})|(["\\nt])|[\s\S])')
_CONTROL = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


def string_value(context: ReadContext, token: int) -> str:
    """Return the value of a STRING_LITERAL; bytes that are not UTF-8 are surrogate escapes.

    Args:
        context: The tokens being read.
        token: The token.

    Raises:
        SourceError: The literal has an unknown escape.
    """
    text = context.tokens.texts[token][1:-1]
    return unescaped(text, context.start(token)) if "\\" in text else text


def symbol_name(context: ReadContext, token: int) -> str:
    """Return the name in `@name` or `@"name"`.

    Args:
        context: The tokens being read.
        token: The token.

    Raises:
        SourceError: The name has an unknown escape.
    """
    text = context.tokens.texts[token][1:]
    return unescaped(text[1:-1], context.start(token)) if text[0] == '"' else text


def unescaped(text: str, offset: int) -> str:
    """Return a string literal's text with its escapes resolved.

    Args:
        text: The text between the quotes.
        offset: The offset of the literal.

    Raises:
        SourceError: The text has an unknown escape.
    """
    has_bytes = False

    def resolve(match: re.Match[str]) -> str:
        nonlocal has_bytes
        if match[1]:
            has_bytes = True
            return bytes.fromhex(match[1]).decode("latin-1") if match[1] < "8" else _surrogate(match[1])
        if not match[2]:
            raise SourceError(offset, f"unknown escape {match[0]} in string literal")
        return _CONTROL[match[2]]

    value = _ESCAPE.sub(resolve, text)
    if not has_bytes:
        return value
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _surrogate(digits: str) -> str:
    return bytes.fromhex(digits).decode("ascii", "surrogateescape")
