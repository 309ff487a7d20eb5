"""Programs as graphs: as data, in Graphviz DOT, and as an interactive HTML page.

Example:
    from stablehlo_py.reports.graph import dot, graph, page

    Path("model.html").write_text(page(graph(module)))
"""

from stablehlo_py.reports.graph.graphviz import dot
from stablehlo_py.reports.graph.html import page
from stablehlo_py.reports.graph.model import Graph, Item, graph

__all__ = ["Graph", "Item", "dot", "graph", "page"]
