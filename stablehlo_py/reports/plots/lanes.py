"""When ops run: a lane for each op name, over the time of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stablehlo_py.diagnostics.units import duration
from stablehlo_py.reports.plots.svg import Scale, box, element, frame, label

_WIDTH, _LABEL, _ROW = 1240, 230, 24
_LANES = 12  # the others share a lane
_CHARACTERS = 34
_TITLED = 400  # executions with a text of their own, the longest ones
_OTHERS = "other ops"


class Span(NamedTuple):
    """An execution: its op name, its start and time in seconds, and what is said of it."""

    kind: str
    begin: float
    seconds: float
    title: str


def lanes(spans: Sequence[Span], about: str) -> str:
    """Draw executions over time; short ones that are next to each other are drawn as one.

    Args:
        spans: The executions, with times since the start of the run.
        about: What the plot shows, for screen readers.
    """
    end = max((each.begin + each.seconds for each in spans), default=0.0) or 1.0
    across = Scale(0.0, end, _LABEL, _WIDTH - 16)
    rows = _rows(spans)
    titled = {id(each) for each in sorted(spans, key=lambda each: -each.seconds)[:_TITLED]}
    bottom = len(rows) * _ROW
    parts = []
    for tick in across.ticks(8):
        x = across(tick)
        parts.append(element("line", class_="grid", x1=x, x2=x, y1=0, y2=bottom))
        parts.append(label(duration(tick), x, bottom + 18, "middle"))
    for index, (kind, found) in enumerate(rows.items()):
        y = index * _ROW
        short = kind if len(kind) <= _CHARACTERS else f"{kind[: _CHARACTERS - 1]}\N{HORIZONTAL ELLIPSIS}"
        parts.append(label(short, _LABEL - 10, y + 16, "strong end"))
        parts.append(_merged([each for each in found if id(each) not in titled], across, y))
        for each in found:
            if id(each) in titled:
                width = max(across(each.seconds) - across(0), 0.5)
                parts.append(box("bar", (across(each.begin), y + 5, width, _ROW - 10), each.title))
    return frame(_WIDTH, bottom + 28, about, parts)


def _rows(spans: Iterable[Span]) -> dict[str, list[Span]]:
    """Return the executions by op name, those with the most time first."""
    found: dict[str, list[Span]] = {}
    for each in spans:
        found.setdefault(each.kind, []).append(each)
    kinds = sorted(found, key=lambda kind: -sum(each.seconds for each in found[kind]))
    rows = {kind: found[kind] for kind in kinds[:_LANES]}
    if others := [each for kind in kinds[_LANES:] for each in found[kind]]:
        rows[_OTHERS] = others
    return rows


def _merged(spans: Iterable[Span], across: Scale, y: float) -> str:
    """Draw executions in one path, each at least as wide as can be seen."""
    parts: list[str] = []
    done = 0.0
    for each in sorted(spans, key=lambda each: each.begin):
        start, end = across(each.begin), across(each.begin + each.seconds)
        start, end = max(start, done), max(end, start + 0.5)
        if end > done:
            parts.append(f"M{start:.1f} {y + 5:.0f}h{end - start:.1f}v{_ROW - 10}h{start - end:.1f}z")
            done = end
    return element("path", class_="bar", d="".join(parts)) if parts else ""
