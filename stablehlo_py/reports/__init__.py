"""Graphs and highlighted text of programs, for pages and notebooks."""

from __future__ import annotations


def notebook_html(node: object) -> str:
    """Render an object as HTML for a notebook; imports the renderers at first use.

    Args:
        node: A module, op, program, diagnostic, analysis, comparison, graph or report.
    """
    from stablehlo_py.reports.notebook import html

    return html(node)
