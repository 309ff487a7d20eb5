"""Blanks of the types and attributes that the IR keeps as text, as the C++ printer writes them."""

from __future__ import annotations

import re

_BLANKS = re.compile(r"\s+")
_WORDS = re.compile(r"->|[<>=]=|[\w$.]+|\S")
_SPACED = frozenset(["->", ">=", "<=", "==", "+", "*", "mod", "floordiv", "ceildiv"])
_OPERAND = re.compile(r"[\w$.]+|[)\]]")


def spaced_map(text: str) -> str:
    """Return the text of an affine map or set, or of a strided layout, with the blanks of the C++ printer.

    Args:
        text: The text.
    """
    colon = ": " if text.startswith("strided") else " : "
    parts, before = [], ""
    for word in _WORDS.findall(text):
        is_binary = word in _SPACED or (word == "-" and _OPERAND.fullmatch(before) and before not in _SPACED)
        parts.append(f" {word} " if is_binary else {",": ", ", ":": colon}.get(word, word))
        before = word
    return "".join(parts)


def spaced_vector(text: str) -> str:
    """Return the text of a vector type with the blanks of the C++ printer: none.

    Args:
        text: The text; a type of another dialect in it keeps its blanks.
    """
    return text if "!" in text else _BLANKS.sub("", text)
