"""Bars: horizontal ones with labels, and histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stablehlo_py.diagnostics.units import number
from stablehlo_py.reports.plots.svg import axes, box, element, frame, label, shares

_WIDTH, _ROW = 860, 22
_BINS = 12
_LABEL, _CHARACTERS = 270, 42  # the width of labels
_WIDE = 380  # more, all of it for bars and labels


def bars(rows: Sequence[tuple[str, float, str]], about: str, is_wide: bool = False) -> str:
    """Draw horizontal bars.

    Args:
        rows: For each bar its label, its value and the text of that.
        about: What the plot shows, for screen readers.
        is_wide: Whether the plot has the whole width of a page.
    """
    width = _WIDTH + _WIDE * is_wide
    start = _LABEL + _WIDE // 2 * is_wide
    most_characters = _CHARACTERS * start // _LABEL
    room = width - start - 150
    parts = []
    sizes = shares([value for _, value, _ in rows])
    for index, ((name, _, shown), size) in enumerate(zip(rows, sizes, strict=True)):
        y = index * _ROW
        length = max(1.0, room * size)
        short = (
            name if len(name) <= most_characters else f"{name[: most_characters - 1]}\N{HORIZONTAL ELLIPSIS}"
        )
        parts.append(label(short, start - 10, y + 15, "strong end"))
        place = (start, y + 4, length, _ROW - 8)
        parts.append(box("bar", place, f"{name}: {shown}", rx=2))
        parts.append(label(shown, start + length + 8, y + 15))
    return frame(width, max(len(rows), 1) * _ROW, about, parts)


def histogram(counts: Mapping[str, int], about: str, x_title: str) -> str:
    """Draw counts as bars side by side.

    Args:
        counts: The count of each bin, by its label.
        about: What the plot shows, for screen readers.
        x_title: The title of the axis.
    """
    counts = _merged(counts)
    most = max(counts.values(), default=0) or 1
    width = min(_WIDTH, 110 + 56 * max(len(counts), 3))
    plot = axes(width, 190, (0, max(len(counts), 1)), (0, most * 1.15))
    bottom = plot.y(0)
    parts = [element("line", class_="axis", x1=plot.x.start, x2=plot.x.end, y1=bottom, y2=bottom)]
    parts.append(label("elements", plot.x.start, 18))
    parts.append(label(x_title, plot.x.end, bottom + 36, "end"))
    for index, (name, count) in enumerate(counts.items()):
        x, after = plot.x(index + 0.12), plot.x(index + 0.88)
        height = max(bottom - plot.y(count), 1.0 if count else 0.0)
        style = "lost" if name == "not finite" else "bar"
        place = (x, bottom - height, after - x, height)
        parts.append(box(style, place, f"{name}: {count:,}"))
        if count:
            parts.append(label(f"{count:,}", (x + after) / 2, bottom - height - 5, "middle"))
        parts.append(label(name, (x + after) / 2, bottom + 17, "strong middle"))
    return plot.frame(about, parts)


def _merged(counts: Mapping[str, int]) -> Mapping[str, int]:
    """Merge neighbouring bins, named `low-high`, to a number that can be drawn; each is named by its end."""
    lost = {name: count for name, count in counts.items() if name == "not finite"}
    bins = [(name, count) for name, count in counts.items() if name not in lost]
    if len(bins) <= _BINS:
        return counts
    step = -(-len(bins) // _BINS)
    groups = [bins[start : start + step] for start in range(0, len(bins), step)]
    ends = [number(int(group[-1][0].rpartition("-")[2])) for group in groups]
    return {
        f"to {end}": sum(count for _, count in group) for end, group in zip(ends, groups, strict=True)
    } | lost
