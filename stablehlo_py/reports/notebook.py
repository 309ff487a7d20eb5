"""Objects of the package as HTML, for notebooks: what their `_repr_html_` returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape

from stablehlo_py.analysis.report import Analysis
from stablehlo_py.debug.compare.findings import Comparison
from stablehlo_py.diagnostics.diagnostic import Diagnostic, ParseError
from stablehlo_py.engines.program import Program
from stablehlo_py.ir.core import Module, Operation
from stablehlo_py.ir.signature import Signature
from stablehlo_py.reports.comparison_html import comparison_html
from stablehlo_py.reports.graph import Graph, page
from stablehlo_py.reports.html import text as visible
from stablehlo_py.reports.plots.svg import style_sheet as plot_style
from stablehlo_py.reports.program_html import highlighted, program_html, shortened, style_sheet
from stablehlo_py.reports.report import Report
from stablehlo_py.syntax.parser import parse_module
from stablehlo_py.syntax.printer import format_module

_NOTEBOOK_LINES = 1_000


@singledispatch
def html(node: object) -> str:
    """Render an object as HTML.

    Args:
        node: A module, op, program, diagnostic, analysis, comparison, graph or report.

    Returns:
        HTML, with its styles.

    Raises:
        TypeError: For another object.
    """
    raise TypeError(f"no HTML for {type(node).__name__}")


@html.register
def _(module: Module) -> str:
    text = format_module(module)
    try:
        shown = parse_module(text, module.name, allow_unregistered=True, allow_newer=True)
    except ParseError:  # a module under construction: its text without types and locations
        shown = Module()
    for op, printed in zip(module.walk(), shown.walk(), strict=False):
        printed.location = op.location
    return f"<style>{style_sheet()}</style>{program_html(shown, text, max_lines=_NOTEBOOK_LINES)}"


@html.register
def _(op: Operation) -> str:
    shown = f'<pre class="shlo-program">{highlighted(shortened(repr(op)))}</pre>'
    return f"<style>{style_sheet()}</style>{shown}"


@html.register
def _(comparison: Comparison) -> str:
    return f"<style>{style_sheet()}{plot_style()}</style>{comparison_html(comparison.to_dict())}"


@html.register
def _(program: Program) -> str:
    grid = f", {program.replicas} x {program.partitions} processes" if not program.is_alone else ""
    title = f"<p><b>@{visible(program.name)}</b> on engine {visible(program.engine)}{grid}</p>"
    return title + _signature(program.signature)


@html.register
def _(diagnostic: Diagnostic) -> str:
    return (
        f"<style>{style_sheet()}</style>" + f'<div class="shlo-program">{diagnostic_html(diagnostic)}</div>'
    )


@html.register
def _(analysis: Analysis) -> str:
    rows = [
        (f"@{name}", each.ops, each.cost.flops, each.parameter_bytes, each.result_bytes, each.peak_bytes)
        for name, each in analysis.functions.items()
    ]
    heads = ("function", "ops", "FLOPs", "argument bytes", "result bytes", "peak bytes")
    return f"<p><b>{visible(analysis.name)}</b></p>" + table(heads, rows)


@html.register
def _(graph: Graph) -> str:
    return _framed(f"Graph of {graph.name}", page(graph))


@html.register
def _(report: Report) -> str:
    return _framed(report.title, report.html)


def _framed(title: str, document: str) -> str:
    """Embed a document, whose scripts cannot reach the notebook."""
    return (
        f'<iframe title="{visible(title)}" style="width: 100%; height: 600px; border: 0" '
        f'sandbox="allow-scripts" srcdoc="{escape(document)}"></iframe>'
    )


def diagnostic_html(diagnostic: Diagnostic) -> str:
    """Render a diagnostic as a `div`, whose styles are those of a program.

    Args:
        diagnostic: The diagnostic.
    """
    position = f"{diagnostic.line}:{diagnostic.column}: " if diagnostic.line else ""
    notes = "".join(f'\n<span class="note">{visible(note)}</span>' for note in diagnostic.notes)
    return (
        f'<div class="diagnostic"><b class="{diagnostic.severity}">{position}{diagnostic.severity}:</b> '
        f"{visible(diagnostic.message)} [{visible(diagnostic.code)}]{notes}</div>"
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Render rows as an HTML table; integers are right-aligned, with separators.

    Args:
        heads: The titles of the columns.
        rows: The cells.
    """
    head = "".join(f'<th scope="col">{visible(title)}</th>' for title in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f'<td style="text-align: right">{value:,}</td>'
    return f"<td>{visible(value)}</td>"


def _signature(signature: Signature) -> str:
    rows: list[tuple[str, str, str]] = [("input", each.label, str(each.type)) for each in signature.inputs]
    rows += [("result", each.name or str(each.index), str(each.type)) for each in signature.outputs]
    return table(("", "name", "type"), rows)
