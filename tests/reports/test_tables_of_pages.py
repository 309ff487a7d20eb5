"""What pages say in tables, facts and captions, from plain data: each cell by hand."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Any

import pytest
from page_reader import Read

from stablehlo_py.reports.comparison_html import comparison_html, comparison_page, errors_by_line
from stablehlo_py.reports.html import Cell, document, facts, json_element, resource, table, text

# The parts of pages


def test_a_table() -> None:
    rows = [("a<", 1200, Cell("x", 0.5)), ("b", 3, Cell("y", float("inf"), "<b>y</b>"))]
    assert table(("name", "count", "size"), rows, caption="All & more", sortable=True) == (
        '<table class="sortable"><caption class="unseen">All &amp; more</caption><thead><tr>'
        '<th scope="col"><button type="button">name</button></th>'
        '<th scope="col" class="number"><button type="button">count</button></th>'
        '<th scope="col" class="number"><button type="button">size</button></th></tr></thead><tbody>'
        '<tr><td>a&lt;</td><td class="number" data-key="1200">1,200</td>'
        '<td class="number" data-key="0.5">x</td></tr>'
        '<tr><td>b</td><td class="number" data-key="3">3</td>'
        '<td class="number" data-key="Infinity"><b>y</b></td></tr></tbody></table>'
    )
    assert table(("n",), [(1,), ("x",)]) == (
        '<table><thead><tr><th scope="col">n</th></tr></thead><tbody>'
        '<tr><td data-key="1">1</td></tr><tr><td>x</td></tr></tbody></table>'
    )
    assert table(("n",), []).endswith('<th scope="col">n</th></tr></thead><tbody></tbody></table>')


def test_facts_and_texts() -> None:
    assert facts([("a", "<b>")]) == ('<dl class="facts"><div><dt>a</dt><dd>&lt;b&gt;</dd></div></dl>')
    assert text("<\x1b>") == "&lt;\\x1b&gt;"


def test_a_document_runs_its_scripts_alone() -> None:
    plain = document("a<", "<p>b</p>", styles=["p {}"])
    assert "script-src 'none'" in plain and "<script>" not in plain
    assert "<title>a&lt;</title>" in plain and f"{resource('base.css')}p {{}}</style>" in plain
    assert plain.startswith('<!DOCTYPE html>\n<html lang="en">') and plain.endswith("</body>\n</html>\n")
    for data, code in ((None, "one\ntwo"), ({"x": 1}, f"{resource('data.js')}\none\ntwo")):
        page = document("t", "", scripts=["one", "two"], data=data)
        digest = b64encode(sha256(code.encode()).digest()).decode()
        assert f"<script>{code}</script>" in page and f"script-src 'sha256-{digest}'" in page
        assert ('<script type="application/json" id="x">1</script>' in page) is (data is not None)


def test_data_of_scripts() -> None:
    assert json_element("a", {"b": "</script>"}) == (
        '<script type="application/json" id="a">{"b":"\\u003c/script>"}</script>'
    )
    for size, kind in ((50_000, "json"), (50_001, "zlib")):
        found = json_element("a", "x" * (size - 2))
        assert found.startswith(f'<script type="application/{kind}" id="a">')
    packed = found.partition('id="a">')[2].partition("<")[0]
    assert json.loads(zlib.decompress(b64decode(packed))) == "x" * 49_999
    with pytest.raises(ValueError, match="JSON"):
        json_element("a", float("nan"))


# Comparisons

ERROR = {
    "problem": "",
    "max_abs": 0.5,
    "max_rel": 0.25,
    "max_ulp": 1200,
    "wrong": 3,
    "histogram": {"0": 1, "8": 3},
}
WORST = {"index": [0, 1], "first": "1.5", "second": "2"}
VALUE = {
    "name": "%a",
    "type": "tensor<4xf32>",
    "ok": False,
    "error": ERROR,
    "worst": [WORST],
    "map": {"shape": [1, 4], "cells": [[0.0, 0.5, 0.5, 0.5]]},
}
EQUAL = {"name": "%b", "type": "i32", "ok": True, "error": None, "worst": []}
SHAPES = {"name": "%c", "type": "f32", "ok": False, "error": ERROR | {"problem": "other shapes"}, "worst": []}
FINE = VALUE | {"name": "%d", "ok": True}
FIRST = {
    "op": "stablehlo.tanh",
    "ok": False,
    "line": 4,
    "text": "  %a = tanh",
    "other_line": 5,
    "other_text": "  %a = sine",
    "origin": ["from m.py:3"],
    "details": ["the op"],
    "iterations": [2, 0],
    "operands": [EQUAL],
    "results": [VALUE],
}
NOTHING = {
    "first": None,
    "ok": True,
    "ops": 0,
    "unmatched": 0,
    "error": None,
    "others": [],
    "results": [],
    "changes": [],
    "notes": [],
}


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ({}, "nothing was compared"),
        ({"ops": 1}, "equal"),
        ({"ops": 1, "first": FIRST | {"ok": True}}, "within tolerance"),
        ({"results": [EQUAL]}, "within tolerance"),
        ({"ops": 1, "ok": False}, "out of tolerance"),
        ({"ops": 1, "ok": False, "error": "line 3: <no>"}, "failed"),
    ],
)
def test_verdicts(found: dict[str, Any], verdict: str) -> None:
    read = Read(comparison_html(NOTHING | found))
    assert read.facts[0] == ("verdict", verdict)
    assert ("b: The second run failed:" in read.texts) is (verdict == "failed")


def test_a_comparison() -> None:
    found = NOTHING | {
        "ok": False,
        "ops": 1200,
        "unmatched": 1001,
        "first": FIRST,
        "others": [FIRST, FIRST | {"results": [EQUAL]}],
        "results": [EQUAL, SHAPES, FINE],
        "changes": ["a <b>"],
        "notes": ["one", "two"],
    }
    read = Read(comparison_page(found, ("a.mlir", "<b>")))
    assert read.facts == [
        ("verdict", "out of tolerance"),
        ("compared", "1,200 op executions"),
        ("without a counterpart", "1,001"),
    ]
    heads = ["type", "verdict", "max absolute", "max relative", "max ULP", "out of tolerance"]
    assert read.rows == [
        ["operand", *heads],
        ["%b", "i32", "equal", "0", "0", "0", "0"],
        ["result", *heads],
        ["%a", "tensor<4xf32>", "wrong", "0.5", "0.25", "1,200", "3"],
        ["worst elements", "first run", "second run"],
        ["[0, 1]", "1.5", "2"],
        ["value", *heads],
        ["%b", "i32", "equal", "0", "0", "0", "0"],
        ["%c", "f32", "other shapes", "", "", "", ""],
        ["%d", "tensor<4xf32>", "ok", "0.5", "0.25", "1,200", "3"],
    ]
    assert read.keys[3][3:] == ["0.5", "0.25", "1200", "3"] and read.keys[8][3:] == ["Infinity"] * 4
    assert read.tables == [None, None, None, "sortable"]
    said = [each for each in read.texts if each.partition(":")[0] in ("h1", "h2", "p", "pre", "li")]
    assert said == [
        "h1: Comparison",
        "p: a.mlir and <b>",
        "h2: First wrong op: stablehlo.tanh",
        "pre: 4: %a = tanh\n5: %a = sine",
        "li: from m.py:3",
        "li: differs in the op",
        "li: in iteration 2, 0 of the loop, counted from 0",
        "h2: Errors of other ops on equal operands",
        "h2: Results of the program",
        "h2: Differences in text, not in results",
        "li: a <b>",
        "p: one",
        "p: two",
    ]
    same = Read(comparison_html(NOTHING | {"first": FIRST | {"ok": True, "other_text": FIRST["text"]}}))
    assert "h2: First difference: stablehlo.tanh" in same.texts and "pre: 4: %a = tanh" in same.texts


@pytest.mark.parametrize(("value", "plots"), [(VALUE, 2), (FINE, 0), (EQUAL, 0), (SHAPES, 0)])
def test_values_out_of_tolerance_have_plots(value: dict[str, Any], plots: int) -> None:
    """A map of the errors and how many there are, of values that can be compared."""
    shown = comparison_html(NOTHING | {"results": [value]})
    assert (shown.count("<svg"), shown.count('class="plots"')) == (plots, plots // 2)


def test_bars_of_other_ops() -> None:
    shown = comparison_html(
        NOTHING | {"others": [FIRST, FIRST | {"ok": True}, FIRST | {"results": [SHAPES]}]}
    )
    for words in ("0.25 relative, wrong", "0.25 relative<", "other shapes", "stablehlo.tanh  line 4"):
        assert f"{words}" in shown


def test_errors_of_lines() -> None:
    assert errors_by_line(
        NOTHING | {"first": FIRST, "others": [FIRST | {"line": 7, "results": [EQUAL]}]}
    ) == {
        4: 0.25,
        7: 0.0,
    }
    infinite = VALUE | {"error": ERROR | {"histogram": {"not finite": 1}}}
    twice = [FIRST | {"results": [infinite]}, FIRST, FIRST | {"line": 9, "results": [SHAPES, VALUE]}]
    assert errors_by_line(NOTHING | {"others": twice}) == {4: float("inf"), 9: float("inf")}
    for wrong in ([], {}, {"others": 1}, {"others": [{"line": 1}]}, {"others": [FIRST | {"results": [{}]}]}):
        with pytest.raises(ValueError, match="not a"):
            errors_by_line(wrong)
