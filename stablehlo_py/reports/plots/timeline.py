"""Memory over time."""

from __future__ import annotations

from collections.abc import Sequence

from stablehlo_py.diagnostics.units import byte_text
from stablehlo_py.reports.plots.svg import axes, element, label

_WIDTH, _HEIGHT = 860, 300
_COLUMNS = 780  # at most; ops that share a column are drawn as their maximum


def timeline(sizes: Sequence[int], about: str, x_title: str = "ops, in order") -> str:
    """Draw the bytes that are live at each op as a step curve, with its peak.

    Args:
        sizes: The bytes at each op, in order.
        about: What the plot shows, for screen readers.
        x_title: The title of the axis.
    """
    peak = max(sizes, default=0)
    plot = axes(_WIDTH, _HEIGHT, (0, max(len(sizes), 1)), (0, peak * 1.08 or 1), base=1024, is_whole=True)
    columns = _columns(sizes)
    points = [f"M{plot.x(0):.1f} {plot.y(columns[0][1] if columns else 0):.1f}"]
    points += [f"V{plot.y(size):.1f}H{plot.x(end):.1f}" for end, size in columns]
    curve = "".join(points)
    parts = [
        element("path", class_="area", d=f"{curve}V{plot.y(0):.1f}H{plot.x(0):.1f}Z"),
        plot.draw(lambda at: f"{at:,.0f}", byte_text, x_title, "live memory"),
        element("path", class_="curve", d=curve),
    ]
    if peak:
        at = plot.x(sizes.index(peak) + 0.5)
        is_left = at < _WIDTH / 2
        parts.append(element("circle", class_="limit", cx=at, cy=plot.y(peak), r=4))
        words = f"peak {byte_text(peak)}"
        parts.append(
            label(words, at + (10 if is_left else -10), plot.y(peak) + 4, "strong" + " end" * (not is_left))
        )
    return plot.frame(about, parts)


def _columns(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Merge ops to a bounded number of columns: the end of each, and its maximum."""
    step = -(-len(sizes) // _COLUMNS) or 1
    return [
        (min(start + step, len(sizes)), max(sizes[start : start + step]))
        for start in range(0, len(sizes), step)
    ]
