"""Interactive HTML output: one self-contained file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import PurePath
from typing import Any

from stablehlo_py.ir.garbage import gc_paused
from stablehlo_py.reports.graph.model import Graph
from stablehlo_py.reports.html import resource

_PACKAGE = "stablehlo_py.reports.graph"
_SCRIPTS = ("layout.js", "model.js", "details.js", "events.js", "view.js")


def page(graph: Graph) -> str:
    """Render a graph as a self-contained HTML document.

    Args:
        graph: The graph of a module.

    Returns:
        The text of the document.
    """
    parts = {
        "TITLE": escape(PurePath(graph.name).name),
        "STYLE": graph_style(),
        "VIEW": graph_view(),
        "DATA": json.dumps(graph_data(graph), allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
        "SCRIPT": graph_script() + resource("page.js", _PACKAGE),
    }
    text = resource("page.html", _PACKAGE)
    before, *rest = text.split("{{")
    filled = [parts[name] + after for name, _, after in (piece.partition("}}") for piece in rest)]
    return before + "".join(filled)


def graph_style() -> str:
    """Return the style sheet of the view."""
    return resource("graph.css", _PACKAGE)


def graph_view() -> str:
    """Return the elements of the view, which is in an element of class `graph`."""
    return resource("view.html", _PACKAGE)


def graph_script() -> str:
    """Return the script of the view; `new GraphView(element, data)` starts it."""
    return "".join(resource(name, _PACKAGE) for name in _SCRIPTS)


def graph_data(graph: Graph) -> dict[str, Any]:
    """Return the data of the view: a graph without what is empty, or stated by its edges."""
    with gc_paused():
        data = graph.to_dict()
        return {**data, "functions": [_shortened(item) for item in data["functions"]]}


def _shortened(item: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in item.items() if name != "operands" and value not in ("", [], None)}
    return kept | ({"items": [_shortened(inner) for inner in item["items"]]} if item["items"] else {})
