"""Source excerpts with an underline, and arrays as text."""

from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import pytest

from stablehlo_py.diagnostics import render
from stablehlo_py.diagnostics.arrays import array_text, json_data
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.diagnostics.render import (
    counted,
    diagnostic_text,
    escaped,
    excerpt,
    line_ranges,
    underlined,
)


def test_diagnostic() -> None:
    diagnostic = Diagnostic("error", "abs.C1", "stablehlo.abs (C1): x = y", 3, 8, ("x is 1", "y is 2"))
    assert diagnostic_text("m.mlir", diagnostic, "  %0 = stablehlo.abs %a : tensor<f32>") == (
        "m.mlir:3:8: error: stablehlo.abs (C1): x = y\n"
        "    %0 = stablehlo.abs %a : tensor<f32>\n"
        "         ^~~~~~~~~~~~~\n"
        "  x is 1\n"
        "  y is 2"
    )


def test_without_text() -> None:
    assert diagnostic_text("m", Diagnostic("warning", "c", "built", 0, 0)) == "m: warning: built"


def test_end_column_bounds_the_underline() -> None:
    assert excerpt("abc def ghi", 5, 12, 80) == ("abc def ghi", "    ^~~~~~~")


def test_tabs_become_spaces() -> None:
    assert excerpt("\tx y", 2, 0, 80) == ("    x y", "    ^")


def test_wide_characters_take_two_cells() -> None:
    for wide in (
        "\N{CJK UNIFIED IDEOGRAPH-5F35}",
        "\N{FULLWIDTH LATIN SMALL LETTER A}",
        "\N{HANGUL SYLLABLE GA}",
    ):
        assert excerpt(f'"{wide}" x', 5, 0, 80)[1] == " " * 5 + "^"
    for narrow in ("\N{HALFWIDTH KATAKANA LETTER A}", "\N{GREEK SMALL LETTER ALPHA}"):
        assert excerpt(f'"{narrow}" x', 5, 0, 80)[1] == " " * 4 + "^"


def test_a_column_past_the_end() -> None:
    assert excerpt("ab", 3, 0, 80) == ("ab", "  ^")


@pytest.mark.parametrize("column", [1, 500, 995])
def test_long_lines_are_cut_around_the_column(column: int) -> None:
    line = ("0123456789" * 100)[: column - 1] + "!!!" + ("0123456789" * 100)[column + 2 : 1000]
    source, marker = excerpt(line, column, column + 3, 60)
    assert len(source) <= 60
    assert source[marker.index("^") : marker.index("^") + 3] == "!!!"
    assert marker.strip() == "^~~"


def test_of_lines_of_megabytes_only_what_is_shown_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []
    monkeypatch.setattr(render, "_cells", lambda text: measured.append(len(text)) or len(text))
    line = '  %0 = stablehlo.constant dense<"0x' + "AB" * 5_000_000 + '"> : tensor<3xf32>'
    for column in (8, 5_000_000, len(line) - 3):
        source, marker = excerpt(line, column, 0, 80)
        assert len(source) <= 80 and source[marker.index("^")] == line[column - 1]
    assert sum(measured) < 10_000


TEN = "0123456789"
WIDE = "\N{CJK UNIFIED IDEOGRAPH-5F35}"


@pytest.mark.parametrize(
    ("line", "columns", "width", "source", "marker"),
    [
        (TEN * 2, (1, 0), 20, TEN * 2, "^" + "~" * 19),  # fits
        (TEN * 2, (1, 3), 19, TEN + "012345...", "^~"),  # does not
        (TEN * 10, (1, 0), 20, TEN + "0123456...", "^" + "~" * 16),
        (TEN * 10, (50, 53), 20, "...34567890123456...", " " * 9 + "^~~"),
        (TEN * 10, (100, 101), 20, "...67890123456789", " " * 16 + "^"),
        (TEN * 10, (95, 99), 20, "...67890123456789", " " * 11 + "^~~~"),
        (TEN * 10, (101, 0), 20, "...67890123456789", " " * 17 + "^"),
        (WIDE * 10 + "ab", (11, 13), 12, "..." + WIDE * 4 + "...", " " * 11 + "^"),
        ("a\tb \x1b c", (4, 0), 80, "a    b \N{REPLACEMENT CHARACTER} c", " " * 6 + "^"),
        ("e\N{COMBINING ACUTE ACCENT} x.y-z", (4, 0), 80, "e\N{COMBINING ACUTE ACCENT} x.y-z", "  ^~~~~"),
    ],
)
def test_excerpts(line: str, columns: tuple[int, int], width: int, source: str, marker: str) -> None:
    assert excerpt(line, *columns, width) == (source, marker)


@pytest.mark.parametrize(
    ("column", "end_column", "after"),
    [(1, 0, 4), (5, 0, 6), (7, 0, 9), (7, 8, 8), (7, 7, 9), (7, 99, 9), (9, 0, 10), (99, 0, 10)],
)
def test_the_end_of_the_underlined_text(column: int, end_column: int, after: int) -> None:
    assert underlined("%ab = %c", Diagnostic("note", "c", "m", 1, column, (), end_column)) == after


def test_styles_and_notes() -> None:
    def tags(text: str, *, fg: str = "", bold: bool = False) -> str:
        return f"<{fg}{'!' * bold}>{text}</>"

    for severity, colour in (("error", "red"), ("warning", "yellow"), ("note", "cyan")):
        found = Diagnostic(severity, "c", "a\nb", 1, 2, ("x\ny",))  # type: ignore[arg-type]
        assert diagnostic_text("m", found, " z", paint=tags) == (
            f"<!>m:1:2:</> <{colour}!>{severity}:</> a\\nb\n   z\n  <green!> ^</>\n  x\n  y"
        )
    assert diagnostic_text("m", Diagnostic("error", "c", "a", 1, 0), "z") == "m:1:0: error: a"
    assert diagnostic_text("m", Diagnostic("error", "c", "a", 1, 1), " ") == "m:1:1: error: a"
    long = Diagnostic("error", "c", "a", 1, 1, (), 2)
    assert diagnostic_text("m", long, "x" * 101).splitlines()[1] == "  " + "x" * 95 + "..."
    assert diagnostic_text("m", long, "x" * 98).splitlines()[1] == "  " + "x" * 98


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\n\N{LATIN SMALL LETTER E WITH ACUTE}", "a\tb\n\N{LATIN SMALL LETTER E WITH ACUTE}"),
        ("a\tb\n\x1b[0m", "a\tb\n\\x1b[0m"),
        ("\u202ea", "\\u202ea"),
        ("\udc80\udcff", "\\x80\\xff"),
        ("\ud800", "\\ud800"),
    ],
)
def test_escapes(text: str, expected: str) -> None:
    assert escaped(text) == expected


@pytest.mark.parametrize(
    ("lines", "most", "expected"),
    [
        ([], 8, "lines none"),
        ([5], 8, "line 5"),
        ([6, 5, 5], 8, "lines 5-6"),
        ([12, 5, 6, 7, 8, 9, 3], 8, "lines 3, 5-9 and 12"),
        ([1, 3, 4, 5, 9], 2, "lines 1, 3-5 and 1 more"),
        ([1, 3, 5, 6, 7], 1, "lines 1 and 4 more"),
        (range(0, 4000, 2), 8, "lines 0, 2, 4, 6, 8, 10, 12, 14 and 1,992 more"),
    ],
)
def test_ranges_of_lines(lines: list[int], most: int, expected: str) -> None:
    assert line_ranges(lines, most) == expected
    assert most != 8 or line_ranges(lines) == expected


def test_counts_with_nouns() -> None:
    assert [counted(n, "op") for n in (0, 1, 2, 1200)] == ["0 ops", "1 op", "2 ops", "1,200 ops"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in excerpt("a \x1b[31m b", 1, 0, 80)[0]


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (np.array([True, False]), [True, False]),
        (np.uint64([2**64 - 1]), [2**64 - 1]),
        (np.int8(-3), -3),
        (np.float32([0.5, np.inf, np.nan]), [0.5, "inf", "nan"]),
        (np.complex64([1 - 2j]), [[1.0, -2.0]]),
        (np.array([1, -2], ml_dtypes.int4), [1, -2]),
        (np.array([[1.5]], ml_dtypes.bfloat16), [[1.5]]),
        ((np.int32(1), (np.bool_(True),)), [1, [True]]),
        (None, None),
    ],
)
def test_values_as_json(value: object, data: object) -> None:
    """The text tells 1 from 1.0 and true."""
    assert json.dumps(json_data(value)) == json.dumps(data)


def test_arrays_are_shortened() -> None:
    text = array_text(np.arange(1000))
    assert "..." in text and len(text) < 100
    assert "999" in array_text(np.arange(1000), full=True) and "..." not in array_text(
        np.arange(1000), full=True
    )
