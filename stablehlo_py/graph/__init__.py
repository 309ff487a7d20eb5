"""Programs as graphs: data, Graphviz's dot, and a page to look at.

from stablehlo_py.graph import dot, graph, page

Path("model.html").write_text(page(graph(module)))
"""

from stablehlo_py.graph.dot import dot
from stablehlo_py.graph.model import Graph, Item, graph
from stablehlo_py.graph.page import page

__all__ = ["Graph", "Item", "dot", "graph", "page"]
