"""Graphs and highlighted text of programs, for pages and notebooks."""

from __future__ import annotations

from stablehlo_py.ir.printing import install_html


def _html(node: object) -> str:
    """Render an object as HTML; imports the renderers at first use."""
    from stablehlo_py.reports.notebook import html

    return html(node)


install_html(_html)
