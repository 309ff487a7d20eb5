"""The document of a report: the index, the sections of programs, and the explanations of rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.diagnostics.units import byte_text, duration, number
from stablehlo_py.ir.printing import html_of
from stablehlo_py.ir.version import CURRENT
from stablehlo_py.reports.graph.html import graph_script, graph_style, graph_view
from stablehlo_py.reports.html import Cell, document, resource, table, text
from stablehlo_py.reports.plots.svg import style_sheet as plot_style
from stablehlo_py.reports.program_html import PATTERNS
from stablehlo_py.reports.program_html import style_sheet as program_style
from stablehlo_py.reports.report.section import Section

_UNHIDDEN = "section[hidden], [role=tabpanel][hidden], .cards[hidden] { display: block !important; }"
_PACKAGE = "stablehlo_py.reports.report"
_HEADS = ("program", "status", "errors", "warnings", "functions", "ops")


class _Column(NamedTuple):
    """A column that is there if a program has a value for it."""

    title: str
    value: Callable[[Section], float | None]
    format: Callable[[float], str]


_MEASURED = (
    _Column("operations", lambda each: each.cost[0] if each.cost else None, number),
    _Column("traffic", lambda each: each.cost[1] if each.cost else None, byte_text),
    _Column("peak", lambda each: each.cost[2] if each.cost else None, byte_text),
    _Column("time", lambda each: each.seconds, duration),
    _Column("max error", lambda each: each.error, lambda error: f"{error:.2g}"),
)
_FILTERS = (("all", "All"), ("error", "Errors"), ("warning", "Warnings"), ("ok", "Clean"))


@dataclass(frozen=True)
class Report:
    """A report on programs.

    Attributes:
        title: Its title.
        html: The document.
        diagnostics: The findings of all programs.
    """

    title: str
    html: str = field(repr=False)
    diagnostics: Sequence[Diagnostic]

    def _repr_html_(self) -> str:
        return html_of(self)


def report_page(
    sections: Sequence[Section], explanations: Sequence[str], title: str = "StableHLO report"
) -> str:
    """Return the document.

    Args:
        sections: The sections of the programs.
        explanations: The explanations of the rules of their diagnostics, as HTML.
        title: The title.
    """
    body = [
        '<a class="skip" href="#content">Skip to the content</a>',
        f'<main id="content"><section id="index" aria-labelledby="title">{_index(sections, title)}</section>',
        *(_section(at, sections) for at in range(len(sections))),
        f'<section id="rules" hidden><h1>Rules</h1>{"".join(explanations)}</section></main>',
        f"<noscript><style>{_UNHIDDEN}</style></noscript>",
    ]
    if any(section.definitions for section in sections):
        body.append(f'<template id="graph-view">{graph_view()}</template>')
    styles = (program_style(), plot_style(), graph_style(), resource("report.css", _PACKAGE))
    own = (resource(name, _PACKAGE) for name in ("text.js", "report.js"))
    scripts = (resource("sort.js"), graph_script(), *own)
    definitions = {name: found for each in sections for name, found in each.definitions.items()}
    data = {"definitions": definitions, "lexer": PATTERNS}
    return document(title, "\n".join(body), styles=styles, scripts=scripts, data=data)


def _section(at: int, sections: Sequence[Section]) -> str:
    """Render the section at an index, with links to those beside it."""
    section, back = sections[at], ""
    if len(sections) > 1:
        steps = [("Previous", sections[at - 1])] if at else []
        steps += [("Next", sections[at + 1])] if at + 1 < len(sections) else []
        links = "".join(f'<a href="#{to.id}" title="{text(to.name)}">{words}</a>' for words, to in steps)
        back = f'<nav class="back" aria-label="Programs"><a href="#index">All programs</a>{links}</nav>'
    return (
        f'<section class="program" id="{section.id}" aria-labelledby="{section.id}-title" hidden>'
        f"{back}{section.html}</section>"
    )


def _index(sections: Sequence[Section], title: str) -> str:
    files = counted(len(sections), "program")
    found = [sum(each.severities[at] for each in sections) for at in range(2)]
    summary = f"{files}, {counted(found[0], 'error')}, {counted(found[1], 'warning')}"
    columns = [each for each in _MEASURED if any(each.value(section) is not None for section in sections)]
    heads = (*_HEADS, *(each.title for each in columns))
    rows = table(heads, [_row(each, columns) for each in sections], caption="Programs", sortable=True)
    return (
        f'<h1 id="title" tabindex="-1">{text(title)}</h1>'
        f'<p class="faint">{summary}. Checked by shlo for StableHLO {CURRENT}.</p>'
        f'{_tools(sections)}<div class="scroll">{rows}</div>'
        '<p id="none" class="faint" hidden>No program matches.</p>'
    )


def _tools(sections: Sequence[Section]) -> str:
    """Render the filters of the index."""
    counts = {name: sum(each.status == name for each in sections) for name, _ in _FILTERS}
    counts["all"] = len(sections)
    buttons = "".join(
        f'<button type="button" data-status="{name}" aria-pressed="{"true" if name == "all" else "false"}">'
        f"{words} <span>{counts[name]}</span></button>"
        for name, words in _FILTERS
    )
    codes = sorted({code for each in sections for code in each.codes})
    options = "".join(f"<option>{text(code)}</option>" for code in codes)
    rule = (
        f'<label>Rule <select id="rule"><option value="">any</option>{options}</select></label>'
        if codes
        else ""
    )
    return (
        '<div class="tools" role="search"><label class="unseen" for="filter">Filter by name or rule</label>'
        '<input id="filter" type="search" placeholder="Filter by name or rule">'
        f'<div role="group" aria-label="Filter by status">{buttons}</div>{rule}'
        '<span id="count" class="faint" role="status"></span></div>'
    )


def _row(section: Section, columns: Sequence[_Column]) -> list[object]:
    order = ("ok", "note", "warning", "error").index(section.status)
    codes = text(" ".join(section.codes))
    data = f'data-codes="{codes}" data-status="{section.status}"'
    name = f'<a href="#{section.id}" {data}>{text(section.name)}</a>'
    status = f'<b class="{section.status}">{section.status}</b>'
    row: list[object] = [
        Cell(section.name, html=name),
        Cell(section.status, html=f"{status}<i hidden>{order}</i>"),
    ]
    row += [*section.severities[:2], *section.sizes]
    values = [(each, each.value(section)) for each in columns]
    return [*row, *(Cell("" if x is None else each.format(x), -1 if x is None else x) for each, x in values)]
