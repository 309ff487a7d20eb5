"""The index and the sections of a report on programs, from sections and subjects that are made by hand."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from page_reader import Read
from test_tables_of_pages import EQUAL, FINE, FIRST, NOTHING, SHAPES, VALUE

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.ir.version import CURRENT
from stablehlo_py.reports.graph import graph
from stablehlo_py.reports.report.page import report_page
from stablehlo_py.reports.report.section import Section, program_section
from stablehlo_py.reports.report.subject import Subject

CLEAN = Section("pa", "a<", "<p>A</p>", (0, 0, 0), (1, 2), None)
WRONG = Section(
    "pb",
    "b",
    "<p>B</p>",
    (1, 2, 0),
    (1, 1200),
    (2_000_000, 2048, 1024),
    codes=["abs.C1", "type"],
    seconds=0.5,
    error=0.25,
)
NOTED = Section("pc", "c", "<p>C</p>", (0, 0, 3), (0, 0), None, codes=["lint.x"], error=0.0)


def index(*sections: Section) -> str:
    whole = report_page(sections, [], "T")
    start = whole.index('<section id="index"')
    return whole[start : whole.index("</section>", start) + len("</section>")]


def test_a_row_for_each_program() -> None:
    read = Read(index(CLEAN, WRONG, NOTED))
    assert read.rows == [
        [
            *("program", "status", "errors", "warnings", "functions", "ops"),
            *("operations", "traffic", "peak", "time", "max error"),
        ],
        ["a<", "ok0", "0", "0", "1", "2", "", "", "", "", ""],
        ["b", "error3", "1", "2", "1", "1,200", "2 M", "2 KiB", "1 KiB", "500.00 ms", "0.25"],
        ["c", "note1", "0", "0", "0", "0", "", "", "", "", "0"],
    ]
    assert read.keys[1][6:] == ["-1"] * 5
    assert read.keys[2][6:] == ["2000000", "2048", "1024", "0.5", "0.25"]
    assert read.keys[3][6:] == ["-1"] * 4 + ["0.0"]


def test_columns_without_values_are_not_in_the_index() -> None:
    assert Read(index(CLEAN)).rows[0][-1] == "ops"
    assert Read(index(CLEAN, NOTED)).rows[0][6:] == ["max error"]


def test_the_summary_and_the_filters() -> None:
    html = index(CLEAN, WRONG, NOTED, NOTED)
    read = Read(html)
    assert f"p: 4 programs, 1 error, 2 warnings. Checked by shlo for StableHLO {CURRENT}." in read.texts
    assert re.findall(r'data-status="(\w+)" aria-pressed="(\w+)">(\w+) <span>(\d)<', html) == [
        ("all", "true", "All", "4"),
        ("error", "false", "Errors", "1"),
        ("warning", "false", "Warnings", "0"),
        ("ok", "false", "Clean", "1"),
    ]
    assert re.findall(r"<option.*?>(.*?)</option>", html) == ["any", "abs.C1", "lint.x", "type"]
    assert re.findall(r'<a href="#(\w+)" data-codes="(.*?)" data-status="(\w+)">', html) == [
        ("pa", "", "ok"),
        ("pb", "abs.C1 type", "error"),
        *([("pc", "lint.x", "note")] * 2),
    ]
    assert "<select" not in index(CLEAN)


@pytest.mark.parametrize(
    ("severities", "status"),
    [((0, 0, 0), "ok"), ((0, 0, 1), "note"), ((0, 2, 1), "warning"), ((1, 2, 1), "error")],
)
def test_the_status_is_the_worst_severity(severities: tuple[int, int, int], status: str) -> None:
    assert Section("p", "p", "", severities, (0, 0), None).status == status


def test_sections_have_links_to_those_beside_them() -> None:
    whole = report_page([CLEAN, WRONG, NOTED], ["<p>rule</p>"])
    found = re.findall(r'<section class="program" id="(\w+)".*?hidden>(.*?)<p>(.)</p></section>', whole)
    assert [
        (name, re.findall(r'<a href="#(\w+)".*?>(.*?)</a>', links), body) for name, links, body in found
    ] == [
        ("pa", [("index", "All programs"), ("pb", "Next")], "A"),
        ("pb", [("index", "All programs"), ("pa", "Previous"), ("pc", "Next")], "B"),
        ("pc", [("index", "All programs"), ("pb", "Previous")], "C"),
    ]
    assert '<section id="rules" hidden><h1>Rules</h1><p>rule</p></section>' in whole
    assert "<title>StableHLO report</title>" in whole and '<template id="graph-view">' not in whole
    assert "<nav" not in report_page([CLEAN], [])


FINDINGS = [
    Diagnostic("note", "y", "of the file", 0, 0),
    Diagnostic("warning", "x.C1", "before", 9, 1),
    Diagnostic("error", "x.C1", "the first", 11, 1, ("a note", "another")),
    Diagnostic("warning", "x.C1", "the second", 11, 5, end_column=7),
    Diagnostic("error", "z", "the last", 12, 0),
    Diagnostic("error", "z", "behind", 13, 1),
]


def data_of(html: str, name: str) -> Any:
    return json.loads(html.partition(f'{name}">')[2].partition("</script>")[0])


def test_findings_are_at_their_lines() -> None:
    """Of a text whose first line is 10, and that has three."""
    section = program_section(Subject("p.mlir", "one\ntwo three\n\x07", None, FINDINGS, first_line=10))
    assert (section.severities, section.sizes, section.cost) == ((3, 2, 1), (0, 0), None)
    assert (section.codes, section.seconds, section.error) == (["x.C1", "y", "z"], None, None)
    cards = dict(re.findall(r'<div data-line="(\d+)">(.*?</details></div>)</div>', section.html, re.DOTALL))
    assert {line: re.findall(r"<span>(.*?)</span>", card) for line, card in cards.items()} == {
        "11": ["the first", "the second"],
        "12": ["the last"],
    }
    assert "<span>the first</span><pre>a note\nanother</pre>" in cards["11"]
    # An explanation is open where its rule is first mentioned.
    opened = re.findall(
        r'<span>([^<]*)</span>(?:<pre>[^<]*</pre>)?</div><details[^>]*"( open)?>', section.html
    )
    assert opened == [
        ("of the file", " open"),
        ("before", " open"),
        ("behind", ""),
        ("the first", ""),
        ("the second", ""),
        ("the last", " open"),
    ]
    assert data_of(section.html, "-text") == {
        "text": "one\ntwo three\n\x07",
        "first": 10,
        "marks": {"11": [[1, 4, "error"], [5, 7, "warning"]], "12": [[0, 0, "error"]]},
        "escapes": {"\x07": "\\x07"},
    }
    rows = Read(section.html.partition('<div class="scroll findings">')[2].partition("</div>")[0]).rows
    assert rows == [
        ["severity", "line", "message", "rule"],
        *([each.severity, str(each.line or ""), each.message, each.code] for each in FINDINGS),
    ]
    assert re.findall(r"-L(\d+)\">\d+</a>", section.html) == ["11", "11", "12"]


def test_a_program_without_findings_in_its_text() -> None:
    section = program_section(Subject("p", "", None, FINDINGS[:1]))
    assert "scroll findings" not in section.html and "data-text" not in section.html
    assert Read(section.html).facts == [("findings", "1 note")]
    clean = program_section(Subject("q", "a", None, []))
    assert data_of(clean.html, "-text") == {"text": "a", "first": 1, "marks": {}, "escapes": None}
    assert "<dt>findings</dt><dd>none</dd>" in clean.html and 'role="tab"' not in clean.html
    assert section.id != clean.id and re.fullmatch("p[0-9a-f]{10}", clean.id)


MODULE = shlo.parse(
    "func.func @main(%x: tensor<1000x500xf32>) -> tensor<1000x500xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<1000x500xf32>\n  return %0 : tensor<1000x500xf32>\n}\n"
    "func.func private @f() {\n  return\n}"
)


def test_functions_count_as_operations() -> None:
    body = "%0 = stablehlo.add %x, %x : tensor<10xf32>\n%1 = stablehlo.tanh %0 : tensor<10xf32>"
    module = shlo.parse(f"func.func @main(%x: tensor<10xf32>) {{\n{body}\nreturn\n}}")
    section = program_section(Subject("p", "a", module, [], analysis=shlo.analyze(module)))
    assert section.cost is not None and section.cost[0] == 20
    (row,) = [row for row in Read(section.html).rows if row[0] == "@main"]
    assert row[3:7] == ["10", "10", "120 B", "80 B"]  # add reads its operand twice


def test_the_head_and_the_tabs_of_an_analyzed_program() -> None:
    """Half a million sums of 4 bytes: two operands are read, one result is written; two values are live."""
    subject = Subject("p", "a", MODULE, [], analysis=shlo.analyze(MODULE), graph=graph(MODULE))
    section = program_section(subject)
    assert section.cost == (500_000, 6_000_000, 4_000_000)
    assert re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", section.html)[:6] == [
        ("findings", "none"),
        ("functions", "2"),
        ("ops", "3"),
        ("operations", "500 k"),
        ("memory traffic", "5.72 MiB"),
        ("peak memory", "3.81 MiB"),
    ]
    tabs = re.findall(
        r'role="tab" id="p\w+-(\w+)-tab" aria-controls="p\w+-(\w+)" (.*?)>(.*?)</button>', section.html
    )
    assert tabs == [
        ("program", "program", 'aria-selected="true"', "Program"),
        ("signature", "signature", 'aria-selected="false" tabindex="-1"', "Signature and cost"),
        ("graph", "graph", 'aria-selected="false" tabindex="-1"', "Graph"),
    ]
    panels = re.findall(
        r'role="tabpanel" id="p\w+-(\w+)" aria-labelledby="p\w+-\w+-tab"( hidden)?>', section.html
    )
    assert panels == [("program", ""), ("signature", " hidden"), ("graph", " hidden")]
    assert {*section.definitions} == {"stablehlo.add", "func.return"}
    assert '<template id="graph-view">' in report_page([section], [])


@pytest.mark.parametrize(
    ("comparison", "error"),
    [
        (None, None),
        (NOTHING, 0.0),
        (NOTHING | {"results": [EQUAL]}, 0.0),
        (NOTHING | {"results": [EQUAL, FINE]}, 0.25),
        (NOTHING | {"first": FIRST}, 0.25),
        (NOTHING | {"results": [EQUAL, VALUE, SHAPES]}, math.inf),
    ],
)
def test_the_largest_error(comparison: Any, error: float | None) -> None:
    section = program_section(Subject("p", "a", None, [], comparison=comparison))
    assert section.error == error
    assert ("Comparison" in section.html) == (comparison is not None)


def test_findings_of_a_run_are_in_the_order_of_the_text() -> None:
    subject = Subject("p", "a", None, [Diagnostic("error", "a", "m", 2, 2)])
    subject.add(Diagnostic("note", "b", "m", 2, 1), Diagnostic("note", "c", "m", 3, 0))
    subject.add_failure(shlo.RunError("why"))
    subject.add_failure(shlo.RunError("more", Diagnostic("error", "d", "place", 2, 3)))
    assert [(each.code, each.message, each.line) for each in subject.diagnostics] == [
        ("run", "why", 0),
        ("b", "m", 2),
        ("a", "m", 2),
        ("run", "place", 2),
        ("c", "m", 3),
    ]
    assert [subject.count(severity) for severity in ("error", "warning", "note")] == [3, 0, 2]
    assert Subject("p", "", MODULE, []).sizes == (2, 3)
