"""Source excerpts with an underline, and arrays as text."""

from __future__ import annotations

import numpy as np
import pytest

from stablehlo_py.diagnostics import render
from stablehlo_py.diagnostics.arrays import array_text
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.diagnostics.render import diagnostic_text, excerpt


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
    assert excerpt('"\N{CJK UNIFIED IDEOGRAPH-5F35}" x', 5, 0, 80)[1] == " " * 5 + "^"


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


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in excerpt("a \x1b[31m b", 1, 0, 80)[0]


def test_arrays_are_shortened() -> None:
    text = array_text(np.arange(1000))
    assert "..." in text and len(text) < 100
    assert "999" in array_text(np.arange(1000), full=True) and "..." not in array_text(
        np.arange(1000), full=True
    )
