"""Plots by hand: where each element is, and what it says.

A row is an element with its classes and the numbers of its place (corner and size of a box, ends of a line,
the point of a text), and behind a bar its text, or what is shown while the pointer is on it.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from stablehlo_py.reports.plots.bars import bars, histogram
from stablehlo_py.reports.plots.heat_map import heat_map
from stablehlo_py.reports.plots.lanes import Span, lanes
from stablehlo_py.reports.plots.roofline import Dot, roofline
from stablehlo_py.reports.plots.svg import Scale
from stablehlo_py.reports.plots.timeline import timeline

PLOTS = {
    "bars": bars([("a", 4.0, "four"), ("b" * 43, 1.0, "one"), ("c", 0.0, "0")], "all"),
    "wide bars": bars([("a", 2.0, "x"), ("d" * 72, 1.0, "y")], "w", True),
    "no bars": bars([], "n"),
    "histogram": histogram({"0": 8, "1": 0, "2-3": 2, "not finite": 1}, "h", "ULP"),
    "heat map": heat_map(((0.0, 1.0, None), (1e-3, 0.0, 10.0)), (2, 3), "e"),
    "one cell": heat_map(((0.5,),), (1, 1), "e"),
    "large cells": heat_map(((0.0, 2.0), (0.0, 4.0)), (2000, 6), "e"),
    "timeline": timeline([1024, 2048, 512], "m"),
    "late peak": timeline([0, 0, 1], "m", "steps"),
    "roofline": roofline([Dot(10.0, 1e9, 0.25, "t"), Dot(0.1, 1e6, 0.5, "u")], 1e10, 1e9, "r"),
    "no lanes": lanes([], "l"),
    "lanes": lanes(
        [Span("add", 0.0, 0.2, "t1"), Span("mul", 0.5, 0.5, "t2"), Span("add", 0.3, 0.1, "t3")], "l"
    ),
}
SHAPES = """
== bars
0 0 860 66
all
text strong end 260 15 | a
rect bar 270 4 440 14 2 | a: four
text - 718 15 | four
text strong end 260 37 | bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
rect bar 270 26 110 14 2 | bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb: one
text - 388 37 | one
text strong end 260 59 | c
rect bar 270 48 1 14 2 | c: 0
text - 279 59 | 0
== wide bars
0 0 1240 44
w
text strong end 450 15 | a
rect bar 460 4 630 14 2 | a: x
text - 1098 15 | x
text strong end 450 37 | dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd…
rect bar 460 26 315 14 2 | dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd: y
text - 783 37 | y
== no bars
0 0 860 22
n
== histogram
0 0 334 190
h
line axis 76 318 146 146 |
text - 76 18 | elements
text end 318 182 | ULP
rect bar 83.3 43.4 46 102.6 | 0: 8
text middle 106.2 38.4 | 8
text strong middle 106.2 163 | 0
rect bar 143.8 146 46 0 | 1: 0
text strong middle 166.8 163 | 1
rect bar 204.3 120.3 46 25.7 | 2-3: 2
text middle 227.2 115.3 | 2
text strong middle 227.2 163 | 2-3
rect lost 264.8 133.2 46 12.8 | not finite: 1
text middle 287.8 128.2 | 1
text strong middle 287.8 163 | not finite
== heat map
0 0 192 84
e
text - 64 16 | 0
text end 142 16 | 2
text end 56 36 | 0
text end 56 74 | 1
rect empty 64 24 25 25 |
rect heat 90 24 25 25 0.79 | rows 0, columns 1: 1
rect lost 116 24 25 25 | rows 0, columns 2: not finite
rect heat 64 50 25 25 0.15 | rows 1, columns 0: 0.001
rect empty 90 50 25 25 |
rect heat 116 50 25 25 1.00 | rows 1, columns 2: 10
== one cell
0 0 192 58
e
text - 64 16 | 0
text end 56 36 | 0
rect heat 64 24 25 25 1.00 | rows 0, columns 0: 0.5
== large cells
0 0 192 84
e
text - 64 16 | 0
text end 116 16 | 5
text end 56 36 | 0
text end 56 74 | 1,999
rect empty 64 24 25 25 |
rect heat 90 24 25 25 0.15 | rows 0-999, columns 3-5: 2
rect empty 64 50 25 25 |
rect heat 90 50 25 25 1.00 | rows 1000-1999, columns 3-5: 4
== timeline
0 0 860 300
m
path area M76.0 150.4V150.4H332.0V44.9H588.0V203.2H844.0V256.0H76.0Z |
line grid 76 844 256 256 |
text end 68 260 | 0 B
line grid 76 844 204.5 204.5 |
text end 68 208.5 | 500 B
line grid 76 844 152.9 152.9 |
text end 68 156.9 | 1000 B
line grid 76 844 101.4 101.4 |
text end 68 105.4 | 1.46 KiB
line grid 76 844 49.8 49.8 |
text end 68 53.8 | 1.95 KiB
line axis 76 76 256 260 |
text middle 76 274 | 0
line axis 332 332 256 260 |
text middle 332 274 | 1
line axis 588 588 256 260 |
text middle 588 274 | 2
line axis 844 844 256 260 |
text middle 844 274 | 3
line axis 76 844 256 256 |
text end 844 292 | ops, in order
text - 76 18 | live memory
path curve M76.0 150.4V150.4H332.0V44.9H588.0V203.2H844.0 |
circle limit 460 44.9 4 |
text strong end 450 48.9 | peak 2 KiB
== late peak
0 0 860 300
m
path area M76.0 256.0V256.0H332.0V256.0H588.0V44.9H844.0V256.0H76.0Z |
line grid 76 844 256 256 |
text end 68 260 | 0 B
line grid 76 844 44.9 44.9 |
text end 68 48.9 | 1 B
line axis 76 76 256 260 |
text middle 76 274 | 0
line axis 332 332 256 260 |
text middle 332 274 | 1
line axis 588 588 256 260 |
text middle 588 274 | 2
line axis 844 844 256 260 |
text middle 844 274 | 3
line axis 76 844 256 256 |
text end 844 292 | steps
text - 76 18 | live memory
path curve M76.0 256.0V256.0H332.0V256.0H588.0V44.9H844.0 |
circle limit 716 44.9 4 |
text strong end 706 48.9 | peak 1 B
== roofline
0 0 860 380
r
line grid 76 844 323.9 323.9 |
text end 68 327.9 | 1 M
line grid 76 844 255.1 255.1 |
text end 68 259.1 | 10 M
line grid 76 844 186.3 186.3 |
text end 68 190.3 | 100 M
line grid 76 844 117.5 117.5 |
text end 68 121.5 | 1 G
line grid 76 844 48.7 48.7 |
text end 68 52.7 | 10 G
line axis 111.3 111.3 336 340 |
text middle 111.3 354 | 0.1
line axis 311.9 311.9 336 340 |
text middle 311.9 354 | 1
line axis 512.4 512.4 336 340 |
text middle 512.4 354 | 10
line axis 713 713 336 340 |
text middle 713 354 | 100
line axis 76 844 336 336 |
text end 844 372 | operations per byte
text - 76 18 | operations per second
path limit M76.0 198.4L512.4 48.7H844.0 |
text limit end 844 40.7 | 10 GFLOP/s
text limit 80 176.4 | 1 GB/s
circle dot 111.3 323.9 18.6 | u
circle dot 512.4 117.5 14 | t
== no lanes
0 0 1240 28
l
line grid 230 230 0 0 |
text middle 230 18 | 0.0 us
line grid 428.8 428.8 0 0 |
text middle 428.8 18 | 200.00 ms
line grid 627.6 627.6 0 0 |
text middle 627.6 18 | 400.00 ms
line grid 826.4 826.4 0 0 |
text middle 826.4 18 | 600.00 ms
line grid 1025.2 1025.2 0 0 |
text middle 1025.2 18 | 800.00 ms
line grid 1224 1224 0 0 |
text middle 1224 18 | 1.00 s
== lanes
0 0 1240 76
l
line grid 230 230 0 48 |
text middle 230 66 | 0.0 us
line grid 428.8 428.8 0 48 |
text middle 428.8 66 | 200.00 ms
line grid 627.6 627.6 0 48 |
text middle 627.6 66 | 400.00 ms
line grid 826.4 826.4 0 48 |
text middle 826.4 66 | 600.00 ms
line grid 1025.2 1025.2 0 48 |
text middle 1025.2 66 | 800.00 ms
line grid 1224 1224 0 48 |
text middle 1224 66 | 1.00 s
text strong end 220 16 | mul
rect bar 727 5 497 14 | t2
text strong end 220 40 | add
rect bar 230 29 198.8 14 | t1
rect bar 528.2 29 99.4 14 | t3
"""
EXPECTED = {block.split("\n")[0]: block.strip().split("\n")[1:] for block in SHAPES.split("== ")[1:]}


def shapes(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    found = [root.get("viewBox") or "", root[0].text or ""]
    for each in root[1:]:
        place = [value for key, value in each.attrib.items() if key != "class"]
        title = each.find("title")
        said = (each.text or "") + ((title.text or "") if title is not None else "")
        found.append(f"{' '.join([each.tag, *(each.get('class') or '-').split(), *place])} | {said}".rstrip())
    return found


@pytest.mark.parametrize("name", PLOTS)
def test_plot(name: str) -> None:
    assert shapes(PLOTS[name]) == EXPECTED[name]


@pytest.mark.parametrize("pair", [(0, 7), (7, 0)])
def test_a_column_for_several_ops_is_as_high_as_the_largest(pair: tuple[int, int]) -> None:
    root = ElementTree.fromstring(timeline(pair * 780, "m"))
    (curve,) = [each.get("d") or "" for each in root if each.get("class") == "curve"]
    assert curve.startswith("M76.0 44.9V44.9H77.0V44.9H78.0") and curve.count("V44.9") == 780


def test_ticks_of_memory_are_whole_units() -> None:
    root = ElementTree.fromstring(timeline([3 << 20], "m"))
    assert [each.text for each in root if each.get("class") == "end"][:4] == [
        "0 B",
        "1 MiB",
        "2 MiB",
        "3 MiB",
    ]


@pytest.mark.parametrize(("rows", "columns", "size"), [(100, 2, "192 532"), (2, 100, "572 42")])
def test_cells_of_a_heat_map_are_small_enough_for_the_longer_side(rows: int, columns: int, size: str) -> None:
    """560 pixels are 5 for each of 100 cells."""
    root = ElementTree.fromstring(heat_map([[1.0] * columns] * rows, (rows, columns), "e"))
    assert root.get("viewBox") == f"0 0 {size}"


def test_many_spans() -> None:
    """The longest have a box and a text of their own, the others are merged in one path; lanes are twelve."""
    spans = [Span("a", i / 1000, 0.0005, "") for i in range(410)] + [Span("b", 0.5, 0.5, "long")]
    root = ElementTree.fromstring(lanes(spans, "l"))
    boxes, (path,) = root.findall("rect"), root.findall("path")
    assert len(boxes) == 400 and (path.get("d") or "").count("M") == 11
    assert (path.get("d") or "").startswith("M626.6 29h0.5v14h-0.5z")  # 230 + 994 * 0.399
    kinds = [Span(f"op{i}", 0.0, 20.0 - i, "") for i in range(14)]
    labels = [
        each.text
        for each in ElementTree.fromstring(lanes(kinds, "l"))
        if "strong" in (each.get("class") or "")
    ]
    assert labels == [*(f"op{i}" for i in range(12)), "other ops"]
    long = [Span("x" * length, 0.0, length, "") for length in (35, 34)]
    labels = [
        each.text
        for each in ElementTree.fromstring(lanes(long, "l"))
        if "strong" in (each.get("class") or "")
    ]
    assert labels == ["x" * 33 + "\N{HORIZONTAL ELLIPSIS}", "x" * 34]


def test_merged_spans_are_at_least_half_a_pixel_and_do_not_overlap() -> None:
    """A second is 994 pixels from 230; the path has those that are not among the longest 400."""
    many = [Span("b", 0.0, 1.0, "")] * 400
    short = [
        Span("a", 0.9, 1e-6, ""),
        Span("a", 0.1, 0.05, ""),
        Span("a", 0.12, 0.05, ""),
        Span("a", 0.13, 0.01, ""),
    ]
    (path,) = ElementTree.fromstring(lanes([*many, *short], "l")).findall("path")
    # from 329.4 to 379.1, to 399.0 for what begins before that, and half a pixel at 1124.6
    assert path.get("d") == ("M329.4 29h49.7v14h-49.7zM379.1 29h19.9v14h-19.9zM1124.6 29h0.5v14h-0.5z")


@pytest.mark.parametrize(
    ("scale", "count", "ticks"),
    [
        (Scale(0, 10, 0, 1), 5, [0, 2, 4, 6, 8, 10]),
        (Scale(0, 11, 0, 1), 5, [0, 5, 10]),
        (Scale(3, 11, 0, 1), 5, [4, 6, 8, 10]),
        (Scale(0, 0.3, 0, 1), 3, [0, 0.1, 0.2, 0.3]),
        (Scale(0, 2, 0, 1), 8, [0, 0.5, 1, 1.5, 2]),
        (Scale(0, 2, 0, 1, is_whole=True), 8, [0, 1, 2]),
        (Scale(0, 1e6, 0, 1), 5, [0, 200e3, 400e3, 600e3, 800e3, 1e6]),
        (Scale(0, 1 << 20, 0, 1, base=1024), 5, [i * 500 * 1024 for i in range(3)]),
        (Scale(0, 3 << 20, 0, 1, base=1024), 5, [i << 20 for i in range(4)]),
        (Scale(5, 5, 0, 1), 5, [5]),
        (Scale(1, 1e12, 0, 1, True), 4, [1, 1e3, 1e6, 1e9, 1e12]),
        (Scale(2, 9, 0, 1, True), 4, []),
    ],
)
def test_ticks(scale: Scale, count: int, ticks: list[float]) -> None:
    assert scale.ticks(count) == pytest.approx(ticks)


def test_coordinates() -> None:
    assert [Scale(10, 20, 100, 0)(value) for value in (10, 15, 20)] == [100, 50, 0]
    assert [Scale(1, 100, 0, 10, True)(value) for value in (1, 10, 100)] == [0, 5, 10]
    assert [len(Scale(0, 100, 0, 1).ticks()), Scale(7, 7, 2, 4)(7)] == [6, 3]


@pytest.mark.parametrize(
    ("bins", "labels"),
    [
        (12, [str(i) for i in range(12)]),
        (13, ["to 1", "to 3", "to 5", "to 7", "to 9", "to 11", "to 12"]),
        (25, ["to 2", "to 5", "to 8", "to 11", "to 14", "to 17", "to 20", "to 23", "to 24"]),
    ],
)
def test_bins_are_merged(bins: int, labels: list[str]) -> None:
    counts = {str(i): 1 for i in range(bins)} | {"not finite": 2}
    root = ElementTree.fromstring(histogram(counts, "h", "x"))
    texts = [each.text for each in root if each.get("class") == "strong middle"]
    assert texts == [*labels, "not finite"]
    sums = [each.text for each in root if each.get("class") == "middle"]
    assert sum(map(int, filter(None, sums))) == bins + 2
