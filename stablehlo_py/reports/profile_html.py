"""The profile of a run: roofline and time of ops, as HTML and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stablehlo_py.debug.machine import Limits
from stablehlo_py.debug.observers import Profile, ProfileRow
from stablehlo_py.diagnostics.render import counted
from stablehlo_py.diagnostics.units import byte_text, duration, number
from stablehlo_py.reports.html import Cell, facts, table
from stablehlo_py.reports.page import page
from stablehlo_py.reports.plots.bars import bars
from stablehlo_py.reports.plots.lanes import Span, lanes
from stablehlo_py.reports.plots.roofline import Dot, roofline
from stablehlo_py.reports.plots.svg import figure

_BARS = 15
_ROWS = 200  # of the table


@dataclass(frozen=True)
class ProfileData:
    """What is shown of a profile.

    Attributes:
        rows: The ops.
        kinds: The same by op name.
        runs: The number of runs that they are of.
        limits: The speed of the machine.
        spans: The executions of one run.
    """

    rows: Sequence[ProfileRow]
    kinds: Sequence[ProfileRow]
    runs: int
    limits: Limits
    spans: Sequence[Span] = ()

    @staticmethod
    def of(profile: Profile, limits: Limits) -> ProfileData:
        """Return what is shown of a profile on a machine of known speed."""
        spans = [
            Span(kind, begin, took, f"{_title(row)}: {duration(took)}")
            for kind, row, begin, took in profile.spans()
        ]
        rows, kinds = (
            sorted(found, key=lambda row: -row.warm) for found in (profile.rows(), profile.kinds())
        )
        return ProfileData(rows, kinds, profile.runs, limits, spans)

    @property
    def warm(self) -> float:
        """The time in ops of a later run, or the first: the sum of the medians."""
        return sum(row.warm for row in self.rows)


def profile_html(found: ProfileData) -> str:
    """Render a profile."""
    return "".join(_parts(found))


def profile_page(found: ProfileData, name: str) -> str:
    """Return the page of a profile; `name` is that of the program."""
    return page("Profile", name, profile_html(found))


def _parts(found: ProfileData) -> Iterator[str]:
    total, rows, limits = found.warm, found.rows, found.limits
    yield _facts(found)
    if found.spans:
        yield "<h2>Timeline</h2>"
        caption = (
            "When ops run, by op name: the last run. Ops around others, such as loops, are not drawn. Of "
            "more than 20,000 executions, the first are."
        )
        yield figure(lanes(found.spans, "Timeline of the last run"), caption)
    dots = [_dot(row, sum(each.seconds for each in rows)) for row in rows]
    if known := [dot for dot in dots if dot is not None]:
        yield "<h2>Roofline</h2>"
        caption = (
            "Each op by its operations per byte and per second; its area is its share of the time. The lines "
            "are this machine's limits, measured with NumPy: a product of f32 matrices has "
            f"{number(limits.flops)}FLOP/s, a copy {byte_text(limits.bytes)}/s. Near the slope an op waits "
            "for memory, near the level for arithmetic; far below both, calls are small or kernels slow."
        )
        yield figure(roofline(known, limits.flops, limits.bytes, "Roofline of the ops"), caption)
    yield "<h2>Time by op name</h2>"
    yield figure(bars([_bar(row, total) for row in found.kinds[:_BARS]], "Time by op name", is_wide=True), "")
    yield "<h2>Slowest ops</h2>"
    slowest = [_bar(row, total, _title(row)) for row in rows[:_BARS]]
    yield figure(bars(slowest, "Slowest ops", is_wide=True), "")
    yield "<h2>All ops</h2>"
    heads = ("op", "value", "line", "source", "time", "share", "first run", "calls", "GFLOP/s", "GB/s")
    cells = [_row(row, total) for row in rows[:_ROWS]]
    yield f'<div class="scroll">{table(heads, cells, sortable=True)}</div>'
    if len(rows) > _ROWS:
        yield f'<p class="faint">{counted(len(rows) - _ROWS, "faster op")} not shown.</p>'


def _facts(found: ProfileData) -> str:
    rows = found.rows
    total, first = sum(row.seconds for row in rows), sum(row.first for row in rows)
    flops, traffic = sum(row.flops for row in rows), sum(row.bytes for row in rows)
    is_warm = found.runs > 1
    about = f", median of {counted(found.runs - 1, 'run')} after the first" if is_warm else ""
    told = [("time in ops" + about, duration(found.warm))]
    told += [("first run", duration(first))] if is_warm else []
    told += [("ops", f"{len(rows):,}")]
    told += [("rate", f"{number(flops / total)}FLOP/s" if total else "none")]
    told += [("traffic", f"{byte_text(traffic / total)}/s" if total else "none")]
    return facts(told)


def _dot(row: ProfileRow, total: float) -> Dot | None:
    if not (row.flops and row.bytes and row.seconds):
        return None
    title = f"{_title(row)}: {duration(row.seconds)}, {row.gflops:.3g} GFLOP/s, {row.gbytes:.3g} GB/s"
    return Dot(row.flops / row.bytes, row.flops / row.seconds, row.seconds / total, title)


def _title(row: ProfileRow) -> str:
    return f"{row.name}  {row.value}  line {row.line}" if row.line else f"{row.name}  {row.value}"


def _bar(row: ProfileRow, total: float, title: str = "") -> tuple[str, float, str]:
    share = f"  {100 * row.warm / total:.1f} %" if total else ""
    return title or row.name, row.warm, duration(row.warm) + share


def _row(row: ProfileRow, total: float) -> tuple[object, ...]:
    share = 100 * row.warm / total if total else 0.0
    rates = [Cell(f"{rate:.3g}" if rate else "", rate) for rate in (row.gflops, row.gbytes)]
    times = (
        Cell(duration(row.warm), row.warm),
        Cell(f"{share:.1f} %", share),
        Cell(duration(row.first), row.first),
    )
    return row.name, row.value, row.line, row.origin, *times, row.calls, *rates
