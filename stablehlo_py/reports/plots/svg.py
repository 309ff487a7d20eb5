"""Elements, scales and axes of SVG plots."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from stablehlo_py.reports.html import resource, text

Format = Callable[[float], str]


def style_sheet() -> str:
    """Return the style sheet of plots."""
    return resource("plot.css", "stablehlo_py.reports.plots")


def svg_file(plot: str) -> str:
    """Return a plot as a file of its own.

    Args:
        plot: The `svg` element.
    """
    head, _, rest = plot.partition(">")
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'{head} xmlns="http://www.w3.org/2000/svg"><style>{style_sheet()}</style>{rest}\n'
    )


def figure(plot: str, caption: str) -> str:
    """Return a plot with a caption, as HTML."""
    return f"<figure>{plot}<figcaption>{text(caption)}</figcaption></figure>"


def element(name: str, content: str = "", title: str = "", **attributes: object) -> str:
    """Return an SVG element.

    Args:
        name: The name of the element.
        content: What it contains, as SVG.
        title: The text that is shown while the pointer is on it.
        attributes: Its attributes, with `_` for `-` (and `class_`); floats have one digit.
    """
    parts = [f'{key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items()]
    about = f"<title>{text(title)}</title>" if title else ""
    return f"<{' '.join([name, *parts])}>{about}{content}</{name}>"


def box(style: str, place: tuple[float, float, float, float], title: str = "", **attributes: object) -> str:
    """Return a rectangle: its class, its corner and size, and the text while the pointer is on it."""
    x, y, width, height = place
    return element("rect", "", title, class_=style, x=x, y=y, width=width, height=height, **attributes)


def label(words: str, x: float, y: float, style: str = "") -> str:
    """Return a text."""
    return element("text", text(words), x=x, y=y, class_=style)


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else text(value)


@dataclass(frozen=True)
class Scale:
    """Maps values to coordinates.

    Attributes:
        low, high: The values at both ends.
        start, end: Their coordinates.
        is_log: Whether the scale is logarithmic.
        base: The factor between units, which ticks are round in: 1000, or 1024 for bytes.
        is_whole: Whether values between whole numbers have no meaning, and no ticks.
    """

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False
    base: int = 1000
    is_whole: bool = False

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value."""
        low, high = self.low, self.high
        if self.is_log:
            value, low, high = math.log10(value), math.log10(low), math.log10(high)
        return self.start + (self.end - self.start) * ((value - low) / (high - low) if high > low else 0.5)

    def ticks(self, count: int = 5) -> list[float]:
        """Return about `count` round values."""
        if self.is_log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            step = max(1, round((last - first) / count))
            return [10.0**power for power in range(first, last + 1, step)]
        size = self._step(max((self.high - self.low) / count, float(self.is_whole)))
        numbers = range(math.ceil(self.low / size), math.floor(self.high / size + 1e-9) + 1)
        return [size * at for at in numbers]

    def _step(self, least: float) -> float:
        """Return the smallest round number (1, 2, 5, 10, ... of a unit) that is not below a number."""
        if least <= 0:
            return 1.0
        unit = float(self.base ** math.floor(math.log(least, self.base)))
        rounds = [digit * 10.0**power for power in range(3) for digit in (1, 2, 5)]
        return next((each * unit for each in rounds if each * unit >= least), self.base * unit)


def shares(values: Sequence[float]) -> list[float]:
    """Return values as parts of the largest finite one: infinity is 1, NaN and negative values are 0."""
    most = max([value for value in values if 0 < value < math.inf], default=1.0)
    return [min(value / most, 1.0) if value > 0 else 0.0 for value in values]


def decades(values: Iterable[float]) -> tuple[float, float]:
    """Return two powers of ten around positive numbers, within the range of floats."""
    logarithms = [math.log10(value) for value in values]
    low = math.floor(min(logarithms))
    high = max(math.ceil(max(logarithms)), low + 1)
    largest = sys.float_info.max if high > sys.float_info.max_10_exp else 10.0**high
    return 10.0**low or math.ulp(0.0), largest


@dataclass(frozen=True)
class Axes:
    """The area of a plot, with axes left and below.

    Attributes:
        x, y: The scales.
        width, height: The size of the whole plot.
    """

    x: Scale
    y: Scale
    width: float
    height: float

    def draw(self, x_format: Format, y_format: Format, x_title: str, y_title: str) -> str:
        """Return the axes with their ticks and titles."""
        left, right, top, bottom = self.x.start, self.x.end, self.y.end, self.y.start
        parts = []
        for tick in self.y.ticks():
            y = self.y(tick)
            parts.append(element("line", class_="grid", x1=left, x2=right, y1=y, y2=y))
            parts.append(label(y_format(tick), left - 8, y + 4, "end"))
        for tick in self.x.ticks(7):
            x = self.x(tick)
            parts.append(element("line", class_="axis", x1=x, x2=x, y1=bottom, y2=bottom + 4))
            parts.append(label(x_format(tick), x, bottom + 18, "middle"))
        parts.append(element("line", class_="axis", x1=left, x2=right, y1=bottom, y2=bottom))
        parts.append(label(x_title, right, bottom + 36, "end"))
        parts.append(label(y_title, left, top - 10))
        return "".join(parts)

    def frame(self, about: str, parts: Sequence[str]) -> str:
        """Return the plot.

        Args:
            about: What it shows, for screen readers.
            parts: Its elements.
        """
        return frame(self.width, self.height, about, parts)


def axes(
    width: float,
    height: float,
    x: tuple[float, float],
    y: tuple[float, float],
    *,
    is_log: bool = False,
    base: int = 1000,
    is_whole: bool = False,
    left: float = 76,
) -> Axes:
    """Return axes for two ranges of values.

    Args:
        width: The width of the plot.
        height: Its height.
        x: The least and greatest value from left to right.
        y: Those from bottom to top.
        is_log: Whether both scales are logarithmic.
        base: The factor between units of `y`.
        is_whole: Whether all values are whole numbers.
        left: The width of the labels of `y`.
    """
    across = Scale(*x, left, width - 16, is_log, is_whole=is_whole)
    up = Scale(*y, height - 44, 28, is_log, base, is_whole)
    return Axes(across, up, width, height)


def frame(width: float, height: float, about: str, parts: Sequence[str]) -> str:
    """Return an `svg` element."""
    content = f"<title>{text(about)}</title>{''.join(parts)}"
    box = f"0 0 {width:g} {height:g}"
    return (
        f'<svg class="plot" role="img" aria-label="{text(about)}" viewBox="{box}" '
        f'width="{width:g}" height="{height:g}">{content}</svg>'
    )
