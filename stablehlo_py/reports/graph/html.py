"""Interactive HTML output: one self-contained file."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from pathlib import PurePath

from stablehlo_py.reports.graph.model import Graph


def page(graph: Graph) -> str:
    """Render a graph as a self-contained HTML document.

    Args:
        graph: The graph of a module.

    Returns:
        The text of the document.
    """
    parts = {
        "TITLE": escape(PurePath(graph.name).name),
        "STYLE": _resource("page.css"),
        "DATA": _script_data(graph),
        "LAYOUT": _resource("layout.js"),
        "SCRIPT": _resource("page.js"),
    }
    text = _resource("page.html")
    before, *rest = text.split("{{")
    filled = [parts[name] + after for name, _, after in (piece.partition("}}") for piece in rest)]
    return before + "".join(filled)


def _script_data(graph: Graph) -> str:
    """Encode the graph as JSON that is safe inside a script element."""
    return json.dumps(graph.to_dict(), allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _resource(name: str) -> str:
    return files("stablehlo_py.reports.graph").joinpath(name).read_text(encoding="utf-8")
