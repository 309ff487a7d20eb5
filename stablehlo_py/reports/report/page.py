"""The document of a report: the index, the sections of programs, and the explanations of rules."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.diagnostics.units import byte_text, number
from stablehlo_py.ir.version import CURRENT
from stablehlo_py.reports.html import Cell, document, resource, table, text
from stablehlo_py.reports.plots.svg import style_sheet as plot_style
from stablehlo_py.reports.program_html import style_sheet as program_style
from stablehlo_py.reports.report.section import Section

_UNHIDDEN = "section[hidden], [role=tabpanel][hidden] { display: block !important; }"
_PACKAGE = "stablehlo_py.reports.report"
_HEADS = ("program", "status", "errors", "warnings", "functions", "ops", "operations", "traffic", "peak")
_FILTERS = (("all", "All"), ("error", "Errors"), ("warning", "Warnings"), ("ok", "Clean"))


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
        *(_section(section, sections) for section in sections),
        f'<section id="rules" hidden><h1>Rules</h1>{"".join(explanations)}</section></main>',
        f"<noscript><style>{_UNHIDDEN}</style></noscript>",
    ]
    styles = (program_style(), plot_style(), resource("report.css", _PACKAGE))
    scripts = (resource("sort.js"), resource("report.js", _PACKAGE))
    return document(title, "\n".join(body), styles=styles, scripts=scripts)


def _section(section: Section, sections: Sequence[Section]) -> str:
    back = ""
    if len(sections) > 1:
        at = sections.index(section)
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
    rows = table(_HEADS, map(_row, sections), caption="Programs", sortable=True)
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


def _row(section: Section) -> list[object]:
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
    if section.cost is None:
        return [*row, *[Cell("", -1)] * 3]
    flops, traffic, peak = section.cost
    return [*row, Cell(number(flops), flops), Cell(byte_text(traffic), traffic), Cell(byte_text(peak), peak)]
