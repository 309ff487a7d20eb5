"""Graphviz DOT output."""

from __future__ import annotations

from collections.abc import Iterator

from stablehlo_py.reports.graph.model import Graph, Item

_SHAPES = {"argument": "ellipse", "constant": "plaintext", "op": "box"}


def dot(graph: Graph) -> str:
    """Render a graph in DOT: functions and regions are clusters, ops and arguments are nodes.

    Args:
        graph: The graph of a module.

    Returns:
        The text of the DOT file.
    """
    lines = [f"digraph {_quoted(graph.name)} {{", '  node [fontname="sans-serif", fontsize=10];']
    for function in graph.functions:
        lines += _cluster(function, "  ")
    edges = [f"  n{start} -> n{end} [label={_quoted(name)}];" for start, end, name in graph.edges]
    return "\n".join([*lines, *edges, "}", ""])


def _cluster(item: Item, indent: str) -> Iterator[str]:
    """Render an item with nested items as a cluster."""
    yield f"{indent}subgraph cluster_{item.id} {{"
    yield f"{indent}  label={_quoted(item.title)};"
    if item.kind == "op":
        yield from _node(item, indent + "  ")  # the endpoint of edges, which cannot end at a cluster
    for inner in item.items:
        yield from _cluster(inner, indent + "  ") if inner.items else _node(inner, indent + "  ")
    yield f"{indent}}}"


def _node(item: Item, indent: str) -> Iterator[str]:
    types = "\n".join(type for _, type in item.results)
    text = item.value or item.title
    label = f"{text}\n{types}" if types and item.kind != "constant" else text
    shape = _SHAPES.get(item.kind, "box")
    yield f"{indent}n{item.id} [shape={shape}, label={_quoted(label)}];"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
