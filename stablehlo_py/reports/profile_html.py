"""The profile of a run: roofline and time of ops, as HTML and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stablehlo_py.debug.machine import Limits
from stablehlo_py.debug.observers import ProfileRow
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.diagnostics.units import byte_text, duration, number
from stablehlo_py.reports.html import Cell, facts, table
from stablehlo_py.reports.page import page
from stablehlo_py.reports.plots.bars import bars
from stablehlo_py.reports.plots.roofline import Dot, roofline
from stablehlo_py.reports.plots.svg import figure

_BARS = 15
_ROWS = 200  # of the table


def profile_html(rows: Sequence[ProfileRow], kinds: Sequence[ProfileRow], runs: int, limits: Limits) -> str:
    """Render a profile.

    Args:
        rows: The ops, the slowest first.
        kinds: The same by op name.
        runs: The number of runs that they are of.
        limits: The speed of the machine.
    """
    return "".join(_parts(rows, kinds, runs, limits))


def profile_page(
    rows: Sequence[ProfileRow], kinds: Sequence[ProfileRow], runs: int, limits: Limits, name: str
) -> str:
    """Return the page of a profile; `name` is that of the program."""
    return page("Profile", name, profile_html(rows, kinds, runs, limits))


def _parts(
    rows: Sequence[ProfileRow], kinds: Sequence[ProfileRow], runs: int, limits: Limits
) -> Iterator[str]:
    total = sum(row.seconds for row in rows)
    flops, traffic = sum(row.flops for row in rows), sum(row.bytes for row in rows)
    yield facts(
        [
            ("time in ops", duration(total)),
            ("runs", str(runs)),
            ("ops", f"{len(rows):,}"),
            ("rate", f"{number(flops / total)}FLOP/s" if total else "none"),
            ("traffic", f"{byte_text(traffic / total)}/s" if total else "none"),
        ]
    )
    dots = [_dot(row, total) for row in rows if row.flops and row.bytes and row.seconds]
    if dots:
        yield "<h2>Roofline</h2>"
        caption = (
            "Each op by its operations per byte and per second; its area is its share of the time. The lines "
            "are this machine's limits, measured with NumPy: a product of f32 matrices has "
            f"{number(limits.flops)}FLOP/s, a copy {byte_text(limits.bytes)}/s. Near the slope an op waits "
            "for memory, near the level for arithmetic; far below both, calls are small or kernels slow."
        )
        yield figure(roofline(dots, limits.flops, limits.bytes, "Roofline of the ops"), caption)
    yield "<h2>Time by op name</h2>"
    yield figure(bars([_bar(row, total) for row in kinds[:_BARS]], "Time by op name"), "")
    yield "<h2>Slowest ops</h2>"
    yield figure(bars([_bar(row, total, _title(row)) for row in rows[:_BARS]], "Slowest ops"), "")
    yield "<h2>All ops</h2>"
    heads = ("op", "value", "line", "source", "time", "share", "calls", "GFLOP/s", "GB/s")
    cells = [_row(row, total) for row in rows[:_ROWS]]
    yield f'<div class="scroll">{table(heads, cells, sortable=True)}</div>'
    if len(rows) > _ROWS:
        yield f'<p class="faint">{counted(len(rows) - _ROWS, "faster op")} not shown.</p>'


def _dot(row: ProfileRow, total: float) -> Dot:
    title = f"{_title(row)}: {duration(row.seconds)}, {row.gflops:.3g} GFLOP/s, {row.gbytes:.3g} GB/s"
    return Dot(row.flops / row.bytes, row.flops / row.seconds, row.seconds / total, title)


def _title(row: ProfileRow) -> str:
    return f"{row.name}  {row.value}  line {row.line}" if row.line else f"{row.name}  {row.value}"


def _bar(row: ProfileRow, total: float, title: str = "") -> tuple[str, float, str]:
    share = f"  {100 * row.seconds / total:.1f} %" if total else ""
    return title or row.name, row.seconds, duration(row.seconds) + share


def _row(row: ProfileRow, total: float) -> tuple[object, ...]:
    share = 100 * row.seconds / total if total else 0.0
    rates = [Cell(f"{rate:.3g}" if rate else "", rate) for rate in (row.gflops, row.gbytes)]
    times = Cell(duration(row.seconds), row.seconds), Cell(f"{share:.1f} %", share)
    return row.name, row.value, row.line, row.origin, *times, row.calls, *rates
