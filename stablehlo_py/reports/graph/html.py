"""Interactive HTML output: one self-contained file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.reports.graph.model import Graph, Item
from stablehlo_py.reports.html import document, resource, text

_PACKAGE = "stablehlo_py.reports.graph"
_SCRIPTS = ("layout.js", "model.js", "colours.js", "details.js", "minimap.js", "events.js", "view.js")
_TEXTS = ("title", "name", "value", "location", "scope")
_NUMBERS = ("line", "operations", "bytes", "error", "seconds", "sent", "live")
_LISTS = ("results", "attributes")  # of pairs of texts


def page(graph: Graph) -> str:
    """Render a graph as a self-contained HTML document.

    Args:
        graph: The graph of a module.

    Returns:
        The text of the document.
    """
    title = PurePath(graph.name).name
    return document(
        title,
        f'<main class="graph page"><h1>{text(title)}</h1>{graph_view()}</main>',
        styles=[graph_style()],
        scripts=[graph_script(), resource("page.js", _PACKAGE)],
        data={"data": {**graph_data(graph), "definitions": graph.definitions}},
    )


def graph_style() -> str:
    """Return the style sheet of the view."""
    return resource("graph.css", _PACKAGE)


def graph_view() -> str:
    """Return the elements of the view, which is in an element of class `graph`."""
    return resource("view.html", _PACKAGE)


def graph_script() -> str:
    """Return the script of the view; `new GraphView(element, data)` starts it."""
    return "".join(resource(name, _PACKAGE) for name in _SCRIPTS)


class _Texts(dict[str, int]):
    """The texts of a graph, each with its number; the empty one is 0."""

    def __missing__(self, words: str) -> int:
        self[words] = len(self)
        return self[words]

    def pairs(self, rows: Sequence[tuple[str, str]]) -> list[int]:
        return [self[words] for row in rows for words in row]


def graph_data(graph: Graph) -> dict[str, Any]:
    """Return the data of the view but for definitions: a column for each field, each text once.

    Edges state the operands of items. A column that has no values is left out.
    """
    with gc_paused():
        texts = _Texts({"": 0})
        items: list[Item] = []
        parents: list[int] = []
        kinds: list[int] = []
        for item, parent in _walk(graph.functions, -1):
            items.append(item)
            parents.append(parent)
            kinds.append(texts[item.kind])
        columns: dict[str, list[Any]] = {"parent": parents, "kind": kinds}
        for name in _TEXTS:
            columns[name] = [texts[getattr(item, name)] for item in items]
        for name in _NUMBERS:
            columns[name] = [getattr(item, name) or 0 for item in items]
        for name in _LISTS:
            columns[name] = [texts.pairs(getattr(item, name)) or 0 for item in items]
        columns["calls"] = [[texts[name] for name in item.calls] or 0 for item in items]
        columns["weight"] = [int(item.weight) for item in items]
        edges = [number for start, end, name in graph.edges for number in (start, end, texts[name])]
        kept = {name: column for name, column in columns.items() if any(column)}
        return {"texts": list(texts), "items": {"parent": parents, **kept}, "edges": edges}


def _walk(items: Iterable[Item], parent: int) -> Iterable[tuple[Item, int]]:
    """Yield items, in the order of their ids, with the ids of those around them."""
    for item in items:
        yield item, parent
        yield from _walk(item.items, item.id)
