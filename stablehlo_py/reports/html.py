"""HTML documents in one file: frame, tables, data for scripts. They load nothing, and run no other script."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any, NamedTuple
from zlib import compress

from stablehlo_py.diagnostics.render import escaped

_LEGIBLE = 50_000  # characters of data that is not compressed


class Cell(NamedTuple):
    """A cell of a table: its text, a key that it is sorted by, and HTML instead of the text."""

    text: str
    key: float | None = None
    html: str = ""


def text(words: object) -> str:
    """Escape a text for HTML; control and bidirectional characters are shown as escapes."""
    return escape(escaped(str(words)))


def resource(name: str, package: str = "stablehlo_py.reports") -> str:
    """Return the text of a file that is installed with the package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def document(
    title: str,
    body: str,
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    data: Mapping[str, Any] | None = None,
) -> str:
    """Return a document in one file, which runs the given scripts only, and loads nothing.

    Args:
        title: The title, as text.
        body: The content, as HTML.
        styles: The style sheets, after that of all pages.
        scripts: The scripts.
        data: The data of the scripts, by the ids of their elements.
    """
    code = "\n".join([resource("data.js"), *scripts] if data else scripts)
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {_hash(code)}"
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{text(title)}</title>",
        f"<style>\n{''.join([resource('base.css'), *styles])}</style>\n</head>\n<body>",
        body,
        *(json_element(name, value) for name, value in (data or {}).items()),
        f"<script>{code}</script>" if code else "",
        "</body>\n</html>\n",
    ]
    return "\n".join(filter(None, parts))


def _hash(script: str) -> str:
    """Return the source of a policy that allows one script."""
    if not script:
        return "'none'"
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def json_element(name: str, value: Any) -> str:
    """Encode data as JSON in an element that `readData` reads; nothing in it can end the element.

    Much data is compressed, as zlib does, in base 64.
    """
    encoded = json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    if len(encoded) <= _LEGIBLE:
        return f'<script type="application/json" id="{text(name)}">{encoded}</script>'
    packed = b64encode(compress(encoded.encode(), 6)).decode()
    return f'<script type="application/zlib" id="{text(name)}">{packed}</script>'


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    sortable: bool = False,
) -> str:
    """Render rows as an HTML table; numbers are aligned to the right.

    Args:
        heads: The titles of the columns.
        rows: The cells: text, integers, or `Cell`s.
        caption: What the table shows, for screen readers.
        sortable: Whether the titles are buttons that sort the table.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    numeric = [bool(cells) and all(row[at].key is not None for row in cells) for at in range(len(heads))]
    head = "".join(map(_head, heads, numeric, [sortable] * len(heads)))
    body = "".join(f"<tr>{''.join(map(_td, row, numeric))}</tr>" for row in cells)
    title = f'<caption class="unseen">{text(caption)}</caption>' if caption else ""
    name = ' class="sortable"' if sortable else ""
    return f"<table{name}>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _head(title: str, is_numeric: bool, is_sortable: bool) -> str:
    name = ' class="number"' if is_numeric else ""
    shown = f'<button type="button">{text(title)}</button>' if is_sortable else text(title)
    return f'<th scope="col"{name}>{shown}</th>'


def _cell(value: object) -> Cell:
    if isinstance(value, Cell):
        return value
    return Cell(f"{value:,}", value) if isinstance(value, int) else Cell(str(value))


def _td(cell: Cell, is_numeric: bool) -> str:
    name = ' class="number"' if is_numeric else ""
    key = f' data-key="{str(cell.key).replace("inf", "Infinity")}"' if cell.key is not None else ""
    return f"<td{name}{key}>{cell.html or text(cell.text)}</td>"


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Render names and values as a list."""
    return (
        '<dl class="facts">'
        + "".join(f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in rows)
        + "</dl>"
    )
