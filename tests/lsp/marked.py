"""Programs with marked positions: `<1>` is taken out of the text and names the position before it."""

from __future__ import annotations

import re

from lsprotocol import types


def marked(text: str) -> tuple[str, dict[str, types.Position]]:
    """The text without marks, and the position of each mark."""
    places, parts, last = {}, [], 0
    for match in re.finditer(r"<(\d)>", text):
        parts.append(text[last : match.start()])
        before = "".join(parts)
        line = before.count("\n")
        column = before[before.rfind("\n") + 1 :]
        places[match[1]] = types.Position(line, len(column.encode("utf-16-le")) // 2)
        last = match.end()
    return "".join([*parts, text[last:]]), places
