"""The section of a program: its text with findings at their lines, and panels about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from stablehlo_py.analysis.memory import Timeline
from stablehlo_py.analysis.report import Analysis, FunctionAnalysis
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.diagnostics.render import counted, escaped, underlined
from stablehlo_py.diagnostics.units import byte_text, number
from stablehlo_py.reports.comparison_html import comparison_html, values_html
from stablehlo_py.reports.devices_html import devices_html
from stablehlo_py.reports.graph import Graph
from stablehlo_py.reports.graph.html import graph_data
from stablehlo_py.reports.html import Cell, facts, json_element, table, text
from stablehlo_py.reports.memory_html import memory_html, schedule_html
from stablehlo_py.reports.profile_html import profile_html
from stablehlo_py.reports.program_html import shortened
from stablehlo_py.reports.report.subject import Subject


@dataclass(slots=True)
class Section:
    """The section of a program, and its row in the index. Picklable.

    Attributes:
        id: The id of its element.
        name: The name of the program.
        html: The content.
        severities: The number of errors, warnings and notes.
        sizes: The number of functions and of ops.
        cost: The FLOPs, bytes and peak bytes of the entry function, if it was analyzed.
        codes: The codes of its diagnostics.
        seconds: The time of its run.
        error: The largest relative error of its results, or of ops of its comparison.
        definitions: The definitions of the ops in its graph.
    """

    id: str
    name: str
    html: str
    severities: tuple[int, int, int]
    sizes: tuple[int, int]
    cost: tuple[int, int, int] | None
    codes: list[str] = field(default_factory=list)
    seconds: float | None = None
    error: float | None = None
    definitions: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """The worst severity, or `ok`."""
        worst = [
            name for name, count in zip(("error", "warning", "note"), self.severities, strict=True) if count
        ]
        return worst[0] if worst else "ok"


def program_section(subject: Subject) -> Section:
    """Render the section of a program."""
    identity = f"p{sha256(subject.name.encode('utf-8', 'replace')).hexdigest()[:10]}"
    entry = _entry(subject.analysis)
    section = Section(
        id=identity,
        name=subject.name,
        html="",
        severities=(subject.count("error"), subject.count("warning"), subject.count("note")),
        sizes=subject.sizes,
        cost=(_operations(entry), entry.cost.bytes, entry.peak_bytes) if entry is not None else None,
        codes=sorted({each.code for each in subject.diagnostics}),
        seconds=subject.run.seconds if subject.run is not None else None,
        error=_largest_error(subject),
        definitions=subject.graph.definitions if subject.graph is not None else {},
    )
    panels = [(title, html) for title, html in _panels(subject, identity) if html]
    section.html = _head(subject, section) + _tabs(identity, panels)
    return section


def _panels(subject: Subject, identity: str) -> Iterator[tuple[str, str]]:
    yield "Program", _program(subject, identity)
    if subject.analysis is not None:
        yield "Signature and cost", "".join(_cost(subject.analysis, subject.memory))
    if subject.graph is not None:
        yield "Graph", _graph(subject.graph, identity)
    if subject.run is not None:
        run = subject.run
        notes = "".join(f'<p class="faint">{text(note)}</p>' for note in run.notes)
        yield "Profile", notes + profile_html(run.profile)
    yield "Comparison", _comparison(subject)
    if subject.devices is not None:
        yield "Devices", devices_html(subject.devices)
    if subject.schedule is not None:
        yield "Schedule", schedule_html(subject.schedule)


def _tabs(identity: str, panels: Sequence[tuple[str, str]]) -> str:
    """Render panels below a row of tabs."""
    tabs, bodies = [], []
    for index, (title, html) in enumerate(panels):
        name = f"{identity}-{title.split()[0].lower()}"
        state = 'aria-selected="true"' if not index else 'aria-selected="false" tabindex="-1"'
        tabs.append(
            f'<button type="button" role="tab" id="{name}-tab" aria-controls="{name}" {state}>'
            f"{title}</button>"
        )
        hidden = " hidden" if index else ""
        bodies.append(f'<div role="tabpanel" id="{name}" aria-labelledby="{name}-tab"{hidden}>{html}</div>')
    row = f'<div class="tabs" role="tablist" aria-label="Parts of the report">{"".join(tabs)}</div>'
    return (row if len(panels) > 1 else "") + "".join(bodies)


def _graph(graph: Graph, identity: str) -> str:
    """Render what the script of the page makes a view of the graph from, once it is shown."""
    data = json_element(f"{identity}-data", graph_data(graph))
    return f'<div class="graph" data-graph="{identity}-data"></div>{data}'


def _comparison(subject: Subject) -> str:
    """Render the differences of results from expected ones, and of ops from those of another run."""
    parts = []
    if subject.run is not None and subject.run.checks:
        parts.append(f"<h2>Results and {text(subject.run.against)}</h2>")
        parts.append(values_html(subject.run.checks, "result"))
    if subject.comparison is not None:
        parts.append(comparison_html(subject.comparison))
    return "".join(parts)


def _largest_error(subject: Subject) -> float | None:
    values = [*(subject.run.checks if subject.run is not None else ())]
    found = subject.comparison
    if found is not None:
        ops = [each for each in (found["first"], *found["others"]) if each is not None]
        values += [value for each in ops for value in each["results"]] + found["results"]
    elif not values:
        return None
    errors = [value["error"] for value in values if value["error"] is not None]
    return max([float("inf") if each["problem"] else each["max_rel"] for each in errors], default=0.0)


# The head ---------------------------------------------------------------------------------------------


def _head(subject: Subject, section: Section) -> str:
    errors, warnings, notes = section.severities
    functions, ops = section.sizes
    rows = [("findings", _severities(errors, warnings, notes))]
    if subject.module is not None:
        rows += [("functions", f"{functions:,}"), ("ops", f"{ops:,}")]
    if section.cost is not None:
        flops, traffic, peak = section.cost
        rows += [("operations", number(flops)), ("memory traffic", byte_text(traffic))]
        rows += [("peak memory", byte_text(peak))]
    return f'<h1 id="{section.id}-title" tabindex="-1">{text(section.name)}</h1>{facts(rows)}'


def _severities(errors: int, warnings: int, notes: int) -> str:
    found = [(errors, "error"), (warnings, "warning"), (notes, "note")]
    return ", ".join(counted(count, noun) for count, noun in found if count) or "none"


# The text and its findings ----------------------------------------------------------------------------


def _program(subject: Subject, identity: str) -> str:
    lines = subject.text.split("\n")
    last = subject.first_line + len(lines) - 1
    after: dict[int, str] = {}
    marks: dict[int, list[tuple[int, int, str]]] = {}
    elsewhere = []
    explained: set[str] = set()
    for each in subject.diagnostics:
        card = _finding(each, is_first=each.code not in explained)
        explained.add(each.code)
        if not subject.first_line <= each.line <= last:
            elsewhere.append(card)
            continue
        after[each.line] = after.get(each.line, "") + card
        end = underlined(lines[each.line - subject.first_line], each) if each.column else 0
        marks.setdefault(each.line, []).append((each.column, end, each.severity))
    listed = _listed(subject, identity, last) if after else ""
    return listed + "".join(elsewhere) + (_text(subject, identity, after, marks) if subject.text else "")


def _text(
    subject: Subject,
    identity: str,
    after: Mapping[int, str],
    marks: Mapping[int, Sequence[tuple[int, int, str]]],
) -> str:
    """Render what the script of the page makes the text from; findings wait beside it for their lines."""
    data = {
        "text": shortened(subject.text),
        "first": subject.first_line,
        "marks": {line: list(found) for line, found in marks.items()},
        "escapes": {char: escaped(char) for char in set(subject.text) if escaped(char) != char} or None,
    }
    locations = '<label><input type="checkbox" data-shows="located"> Locations</label>'
    tools = (
        '<div class="tools"><button type="button" data-fold="open">Unfold all</button>'
        '<button type="button" data-fold="close">Fold all</button>'
        '<label><input type="checkbox" data-shows="wrap"> Wrap lines</label>'
        f"{locations if 'loc(' in subject.text else ''}</div>"
    )
    cards = "".join(f'<div data-line="{line}">{html}</div>' for line, html in sorted(after.items()))
    return (
        f'{tools}<div class="text" role="region" tabindex="0" aria-label="Text of the program">'
        f'<div class="shlo-program" data-text="{identity}-text" data-prefix="{identity}-L"></div>'
        f'<div class="cards" hidden>{cards}</div></div>{json_element(f"{identity}-text", data)}'
    )


def _listed(subject: Subject, identity: str, last: int) -> str:
    """Render the list of findings, with links to their lines."""
    rows = []
    for each in subject.diagnostics:
        place = str(each.line or "")
        link = (
            f'<a href="#{identity}-L{place}">{place}</a>'
            if subject.first_line <= each.line <= last
            else place
        )
        severity = f'<b class="{each.severity}">{each.severity}</b>'
        rows.append(
            (
                Cell(each.severity, html=severity),
                Cell(place, each.line, link),
                each.message,
                Cell(each.code, html=f"<code>{text(each.code)}</code>"),
            )
        )
    heads = ("severity", "line", "message", "rule")
    return (
        f'<div class="scroll findings">{table(heads, rows, caption="Findings", sortable=len(rows) > 1)}</div>'
    )


def _finding(diagnostic: Diagnostic, is_first: bool) -> str:
    """Render a diagnostic; the explanation of its rule is filled in by the script of the page."""
    notes = text("\n".join(diagnostic.notes))
    code = text(diagnostic.code)
    return (
        f'<div class="finding {diagnostic.severity}" role="note"><div class="what">'
        f"<b>{diagnostic.severity}</b> <span>{text(diagnostic.message)}</span>"
        f"{f'<pre>{notes}</pre>' if notes else ''}</div>"
        f'<details class="why" data-rule="{code}"{" open" if is_first else ""}>'
        f'<summary>{code}</summary><a href="#rule-{code}">Explanation</a></details></div>'
    )


# Signature and cost -----------------------------------------------------------------------------------


def _entry(analysis: Analysis | None) -> FunctionAnalysis | None:
    return analysis.functions.get(analysis.entry or "") if analysis is not None else None


def _operations(function: FunctionAnalysis) -> int:
    return function.cost.flops + function.cost.transcendentals


def _cost(analysis: Analysis, memory: Timeline | None) -> Iterator[str]:
    yield "<h2>Cost of a call</h2>"
    heads = ("function", "line", "ops", "operations", "transcendental", "bytes read", "bytes written", "peak")
    functions = [_function_row(each) for each in analysis.functions.values()]
    yield f'<div class="scroll">{table(heads, functions, sortable=len(functions) > 1)}</div>'
    if analysis.notes:
        rows = [(note.line, note.message) for note in analysis.notes]
        yield f"<h3>Estimates</h3>{table(('line', 'what is estimated'), rows)}"
    entry = _entry(analysis)
    if entry is not None and entry.signature is not None:
        yield f"<h2>Signature of @{text(entry.name)}</h2>"
        inputs = [(each.label, each.type) for each in entry.signature.inputs]
        outputs = [(each.name or str(each.index), each.type) for each in entry.signature.outputs]
        parts = (
            (table((title, "type"), map(_typed, rows)))
            for title, rows in (("input", inputs), ("result", outputs))
        )
        yield f'<div class="columns">{"".join(parts)}</div>'
    if memory is not None and entry is not None:
        yield f"<h2>Memory of @{text(entry.name)}</h2>{memory_html(memory, entry.name)}"
    ops = analysis.statistics.ops
    yield f"<h2>Ops by name</h2>{table(('op', 'count'), ops.items(), sortable=len(ops) > 1)}"


def _typed(row: tuple[str, object]) -> tuple[Cell, Cell]:
    name, type = row
    return Cell(name, html=f"<code>{text(name)}</code>"), Cell("", html=f"<code>{text(type)}</code>")


def _function_row(each: FunctionAnalysis) -> tuple[object, ...]:
    cost = each.cost
    counts = [Cell(number(count), count) for count in (cost.flops, cost.transcendentals)]
    sizes = [Cell(byte_text(size), size) for size in (cost.bytes_read, cost.bytes_written, each.peak_bytes)]
    return f"@{each.name}", each.line, each.ops, *counts, *sizes
