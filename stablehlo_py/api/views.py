"""The public function `graph`, which imports what it needs on its first call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stablehlo_py.ir.core import Module
from stablehlo_py.verifier.verifier import verify_module

if TYPE_CHECKING:
    from stablehlo_py.reports.graph import Graph


def graph(module: Module | Any, *, errors: Mapping[int, float] | None = None) -> Graph:
    """Draw a program as a graph of functions, name scopes, ops and values, which a notebook shows.

    Args:
        module: A module, or another source that `parse` takes; with the costs of its ops if it is valid.
        errors: The relative errors of ops in a comparison, by line.

    Returns:
        The graph. `stablehlo_py.reports.graph` makes a page (`page`) and Graphviz DOT (`dot`) of it.

    Raises:
        ParseError: If a source is not a program.

    Example:
        Path("model.html").write_text(stablehlo_py.reports.graph.page(shlo.graph(module)))
    """
    from stablehlo_py.api import parse
    from stablehlo_py.reports.graph import graph as draw

    program = parse(module)
    is_valid = not any(each.severity == "error" for each in verify_module(program))
    return draw(program, costs=is_valid, errors=errors)
