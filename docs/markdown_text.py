"""Markdown of generated pages: text, code, blocks, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def text(words: str) -> str:
    """Words as Markdown: what stands between backticks is code, and the rest says nothing special."""
    parts = re.split(r"(`[^`]*`)", words)
    return "".join(part if part[:1] == "`" else re.sub(r"([<>*_\[\]|\\])", r"\\\1", part) for part in parts)


def code(words: str) -> str:
    """Words as code; in a table, a bar needs a backslash."""
    words = words.replace("\n", " ").replace("|", "\\|")
    return f"`` {words} ``" if "`" in words else f"`{words}`"


def block(words: str, language: str = "text") -> str:
    """Lines as they are."""
    return f"```{language}\n{words}\n```"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; nothing if there are no rows."""
    lines = [f"| {' | '.join(cell.replace(chr(10), ' ') for cell in row)} |" for row in rows]
    if not lines:
        return ""
    return "\n".join([f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *lines])
