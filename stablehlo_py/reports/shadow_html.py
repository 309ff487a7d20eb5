"""Where a program loses precision, as a page: what a shadow run finds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.reports.html import Cell, facts, table, text
from stablehlo_py.reports.page import page
from stablehlo_py.reports.plots.bars import bars
from stablehlo_py.reports.plots.pixel_map import pixel_map
from stablehlo_py.reports.plots.svg import Axes, Scale, decades, element, figure, shares
from stablehlo_py.rounding.rows import Shadow, ShadowRow

_SCOPES, _ROWS, _DOTS = 20, 200, 2000
_WIDTH, _HEIGHT = 1240, 300


def shadow_page(found: Shadow, name: str) -> str:
    """Return the page of a shadow run; `name` is that of the program."""
    return page("Precision", name, "".join(_parts(found)))


def _parts(found: Shadow) -> Iterator[str]:
    errors = [f"{error:.3g}" for error in found.errors if error is not None]
    is_random = found.wide == "random"
    beside = "runs with random rounding" if is_random else found.wide
    what = "deviation of the results" if is_random else "error of the results"
    yield facts(
        [
            ("beside", beside),
            (f"relative {what}", ", ".join(errors) or "no floats"),
            ("ops", f"{len(found.rows):,}"),
        ]
    )
    if found.warning:
        yield f"<p>{text(found.warning)}</p>"
    ordered = sorted(found.rows, key=lambda row: row.line)
    if any(_is_drawn(row) for row in ordered):
        caption = (
            "The relative error of each result, in the order of the program, on a logarithmic scale. Larger "
            "dots contribute more to the error of the program's results."
        )
        yield f"<h2>Error along the program</h2>{figure(_along(ordered), caption)}"
    scopes = [(name or "no scope", part) for name, part in found.scopes() if part > 0]
    if scopes:
        rows = [(name, part, f"{part:.2g}") for name, part in scopes[:_SCOPES]]
        caption = "How much of the results' error goes away if the ops of a name scope introduce none."
        yield f"<h2>By scope</h2>{figure(bars(rows, 'Contribution of name scopes', is_wide=True), caption)}"
    yield f"<h2>By op</h2>{_ops(found.rows[:_ROWS])}"
    if len(found.rows) > _ROWS:
        yield f'<p class="faint">{counted(len(found.rows) - _ROWS, "op")} with less are not shown.</p>'
    if found.note:
        yield f'<p class="faint">{text(found.note)}</p>'


def _is_drawn(row: ShadowRow) -> bool:
    return 0 < row.error < math.inf


def _along(rows: Sequence[ShadowRow]) -> str:
    """Draw errors by place; of very many ops, those with the largest errors of their neighbours."""
    step = -(-len(rows) // _DOTS)
    shown = []
    for start in range(0, len(rows), step):
        drawn = [row for row in islice(rows, start, start + step) if _is_drawn(row)]
        shown += [(start, max(drawn, key=lambda row: row.error))] if drawn else []
    across = Scale(0, len(rows), 76, _WIDTH - 16)
    up = Scale(*decades([row.error for _, row in shown]), _HEIGHT - 44, 28, is_log=True)
    plot = Axes(across, up, _WIDTH, _HEIGHT)
    dots = []
    for (at, row), share in zip(shown, shares([row.contribution for _, row in shown]), strict=True):
        size = 2.5 + 5 * math.sqrt(share)
        place = f"line {row.line}: {row.op} {row.value}"
        title = f"{place}: error {row.error:.3g}, contribution {row.contribution:.3g}"
        dots.append(element("circle", "", title, class_="dot", cx=across(at + 0.5), cy=up(row.error), r=size))
    drawn_axes = plot.draw(lambda at: f"{at:,.0f}", lambda y: f"{y:.0e}", "ops, in order", "relative error")
    return plot.frame("Error along the program", [drawn_axes, *dots])


def _ops(rows: Sequence[ShadowRow]) -> str:
    heads = ("op", "value", "type", "line", "source", "scope", "contribution", "introduced", "error")
    more = ("amplified", "cancelled bits", "digits", "out of range", "flushed", "map")
    cells = [
        (
            row.op.removeprefix("stablehlo."),
            Cell(row.value, html=f"<code>{text(row.value)}</code>"),
            row.type,
            row.line,
            row.source,
            row.scope,
            *(_number(value) for value in (row.contribution, row.introduced, row.error, row.amplification)),
            Cell(f"{row.cancelled:.1f}" if row.cancelled else "", row.cancelled),
            Cell(f"{row.digits:.1f}", row.digits),
            row.overflow,
            row.flushed,
            _map(row),
        )
        for row in rows
    ]
    listed = table((*heads, *more), cells, caption="Ops by contribution", sortable=len(cells) > 1)
    return f'<div class="scroll">{listed}</div>'


def _map(row: ShadowRow) -> Cell:
    """Return the map of the errors of a result, the largest in each cell."""
    found = row.map
    largest = max((error for cells in found.cells for error in cells if error), default=0.0) if found else 0.0
    if not largest:
        return Cell("")
    rows, columns = found.shape
    about = f"errors of {row.value} as {rows:,} rows and {columns:,} columns, to {largest:.3g}"
    return Cell("", largest, html=pixel_map(found.cells, about))


def _number(value: float) -> Cell:
    return Cell(f"{value:.3g}" if value else "", value)
