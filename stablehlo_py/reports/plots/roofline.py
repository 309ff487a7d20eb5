"""The roofline model: operations per second over operations per byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stablehlo_py.diagnostics.units import number
from stablehlo_py.reports.plots.svg import Axes, axes, element, label

_WIDTH, _HEIGHT = 860, 380


class Dot(NamedTuple):
    """An op: operations per byte, operations per second, its share of the time, and what it is."""

    intensity: float
    rate: float
    share: float
    title: str


def roofline(dots: Sequence[Dot], peak_rate: float, peak_traffic: float, about: str) -> str:
    """Draw ops below the limits of a machine.

    Args:
        dots: The ops; the area of a dot is its share of the time.
        peak_rate: The limit of operations per second.
        peak_traffic: The limit of bytes per second.
        about: What the plot shows, for screen readers.
    """
    ridge = peak_rate / peak_traffic
    least_x, most_x = (
        min([each.intensity for each in dots] + [ridge / 30]),
        max([each.intensity for each in dots] + [ridge * 30]),
    )
    low = min([each.rate for each in dots] + [peak_rate / 1000])
    high = max([each.rate for each in dots] + [peak_rate]) * 2
    plot = axes(_WIDTH, _HEIGHT, (least_x / 1.5, most_x * 1.5), (low / 1.5, high), is_log=True)
    parts = [
        plot.draw(lambda x: f"{x:g}", lambda y: number(y), "operations per byte", "operations per second"),
        _roof(plot, peak_rate, peak_traffic),
    ]
    for each in sorted(dots, key=lambda dot: -dot.share):
        radius = 3 + 22 * each.share**0.5
        place = {"cx": plot.x(each.intensity), "cy": plot.y(each.rate), "r": radius}
        parts.append(element("circle", title=each.title, class_="dot", **place))
    return plot.frame(about, parts)


def _roof(plot: Axes, peak_rate: float, peak_traffic: float) -> str:
    """Return the limits: of memory on the left, of arithmetic on the right."""
    ridge = peak_rate / peak_traffic
    start = max(plot.x.low, plot.y.low / peak_traffic)
    path = (
        f"M{plot.x(start):.1f} {plot.y(start * peak_traffic):.1f}"
        f"L{plot.x(ridge):.1f} {plot.y(peak_rate):.1f}H{plot.x.end:.1f}"
    )
    top = plot.y(peak_rate) - 8
    return (
        element("path", class_="limit", d=path)
        + label(f"{number(peak_rate)}FLOP/s", plot.x.end, top, "limit end")
        + label(f"{number(peak_traffic)}B/s", plot.x(start) + 4, plot.y(start * peak_traffic) - 22, "limit")
    )
