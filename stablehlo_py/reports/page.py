"""Pages with plots and tables that can be sorted."""

from __future__ import annotations

from stablehlo_py.reports.html import document, resource, text
from stablehlo_py.reports.plots.svg import style_sheet


def page(title: str, subtitle: str, body: str) -> str:
    """Return a page.

    Args:
        title: The title, as text.
        subtitle: What the page is about, such as the name of a program, as text.
        body: The content, as HTML.
    """
    head = f'<h1>{text(title)}</h1><p class="faint">{text(subtitle)}</p>'
    return document(
        title, f"<main>{head}{body}</main>", styles=[style_sheet()], scripts=[resource("sort.js")]
    )
