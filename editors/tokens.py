"""Writes the tokens of programs and their scopes, which the test of the TextMate grammar compares.

tokens.py OUTPUT PATH...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from stablehlo_py.lsp.document import Document
from stablehlo_py.opset.definition import lookup

_SCOPES = {
    "%": "variable.other",
    "@": "entity.name.function",
    "^": "entity.name.label",
    "#": "meta.preprocessor",
}
Row = tuple[int, int, int, str]  # line and column from 0, length, scope


def rows(text: str) -> Iterator[Row]:
    """The tokens of a program that parses."""
    document = Document(text)
    offsets = {op.offset for op in document.ops}
    for part in document.parts:
        if part.recovered.diagnostics:
            continue
        for offset, comment in part.module.comments:
            yield from row(document, offset, comment, "comment.line")
        tokens = part.recovered.tokens
        for index, token in enumerate(tokens.texts[:-1]):
            scope = _SCOPES.get(token[0], "")
            is_op = "." in token and lookup(token.strip('"')) is not None
            scope = "support.function.op" if is_op and tokens.start(index) in offsets else scope
            if not scope and token.startswith('"'):
                scope = "string.quoted"
            if scope and "\n" not in token and "<" not in token:
                yield from row(document, tokens.start(index), token, scope)


def row(document: Document, offset: int, text: str, scope: str) -> Iterator[Row]:
    place = document.position(offset)
    yield place.line, place.character, len(text), scope


def main() -> None:
    """Writes the file."""
    found = {}
    for file in sorted(file for path in sys.argv[2:] for file in Path(path).rglob("*.mlir")):
        try:
            text = file.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found[str(file.resolve())] = list(rows(text))
    Path(sys.argv[1]).write_text(json.dumps(found))
    print(f"{sum(map(len, found.values()))} tokens in {len(found)} files")


if __name__ == "__main__":
    main()
