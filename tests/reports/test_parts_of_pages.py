"""What pages consist of: styles, scripts, tabs, links, lists of findings, and which tables can be sorted."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest

import stablehlo_py as shlo
from stablehlo_py.analysis.memory import Memory
from stablehlo_py.analysis.report import analyze
from stablehlo_py.debug.machine import Limits
from stablehlo_py.debug.observers.profile import ProfileRow
from stablehlo_py.ir.types import FloatType, TensorType
from stablehlo_py.ir.version import CURRENT
from stablehlo_py.reports.devices_html import devices_html
from stablehlo_py.reports.graph import graph
from stablehlo_py.reports.graph.html import page as graph_page
from stablehlo_py.reports.graph.weights import find_weights
from stablehlo_py.reports.notebook import table
from stablehlo_py.reports.page import page
from stablehlo_py.reports.plots.pixel_map import pixel_map
from stablehlo_py.reports.profile_html import ProfileData, profile_html
from stablehlo_py.reports.report import Run, Section, Subject, program_section, report_page
from stablehlo_py.reports.rules import describe
from stablehlo_py.reports.shadow_html import shadow_page
from stablehlo_py.rounding.rows import Shadow, ShadowRow

TEXT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
MODULE = shlo.parse(TEXT, "p.mlir")


def file(name: str, folder: str = "") -> str:
    return files("stablehlo_py.reports").joinpath(folder, name).read_text(encoding="utf-8")


def styles(html: str) -> str:
    return html.partition("<style>\n")[2].partition("</style>")[0]


def script(html: str) -> str:
    return html.rpartition("<script>")[2].partition("</script>")[0]


# Styles and scripts


def test_a_page_has_the_styles_of_plots_and_sorts_its_tables() -> None:
    made = page("A <title>", "of <b>", "<i>body</i>")
    assert styles(made) == file("base.css") + file("plot.css", "plots")
    assert script(made) == file("sort.js")
    assert (
        '<main><h1>A &lt;title&gt;</h1><p class="faint">of &lt;b&gt;</p><i>body</i></main>' in made
        and "<title>A &lt;title&gt;</title>" in made
    )


VIEW = ("layout.js", "model.js", "colours.js", "details.js", "minimap.js", "events.js", "view.js")


def test_the_page_of_a_graph_has_its_scripts_in_order_and_its_definitions() -> None:
    made = graph_page(graph(shlo.parse(TEXT, "folder/<p>.mlir")))
    assert styles(made) == file("base.css") + file("graph.css", "graph")
    view = "".join(file(name, "graph") for name in VIEW)
    assert script(made) == "\n".join([file("data.js"), view, file("page.js", "graph")])
    assert f'<main class="graph page"><h1>&lt;p&gt;.mlir</h1>{file("view.html", "graph")}</main>' in made
    data = json.loads(made.partition('id="data">')[2].partition("</script>")[0])
    assert list(data["definitions"]) == ["func.return", "stablehlo.add"]


def section(name: str, identity: str, **given: Any) -> Section:
    values = {"html": f"<p>{identity}</p>", "severities": (0, 0, 0), "sizes": (1, 2), "cost": None} | given
    return Section(identity, name, **values)


def test_a_report_has_its_styles_and_scripts_in_order() -> None:
    bare = report_page([section("a", "p1")], ["<article>r</article>"])
    parts = (("base.css", ""), ("program.css", ""), ("plot.css", "plots"), ("graph.css", "graph"))
    assert styles(bare) == "".join(file(*part) for part in (*parts, ("report.css", "report")))
    view = "".join(file(name, "graph") for name in VIEW)
    own = [file("sort.js"), view, file("text.js", "report"), file("report.js", "report")]
    assert script(bare) == "\n".join([file("data.js"), *own])
    assert '<template id="graph-view">' not in bare  # no program has a graph
    assert '<section id="rules" hidden><h1>Rules</h1><article>r</article></section></main>' in bare
    drawn = report_page([section("a", "p1"), section("b", "p2", definitions={"x.y": {"doc": "d"}})], [])
    assert f'<template id="graph-view">{file("view.html", "graph")}</template>' in drawn
    data = drawn.partition('id="definitions">')[2].partition("</script>")[0]
    assert json.loads(data) == {"x.y": {"doc": "d"}}


# The index and the sections of a report


def test_sections_have_links_to_those_beside_them() -> None:
    made = report_page([section(name, f"p{name}") for name in ("a", "<b>", "c")], [])
    backs = re.findall(r'<nav class="back" aria-label="Programs">(.*?)</nav>', made)
    all_of = '<a href="#index">All programs</a>'
    assert backs == [
        f'{all_of}<a href="#p<b>" title="&lt;b&gt;">Next</a>',
        f'{all_of}<a href="#pa" title="a">Previous</a><a href="#pc" title="c">Next</a>',
        f'{all_of}<a href="#p<b>" title="&lt;b&gt;">Previous</a>',
    ]
    alone = report_page([section("a", "p1")], [])
    start = '<section class="program" id="p1" aria-labelledby="p1-title" hidden>'
    assert f"{start}<p>p1</p></section>" in alone


SECTIONS = [
    section("z", "p1", severities=(2, 1, 0), codes=["abs.C1", "b<c"], sizes=(1, 1234)),
    section("y", "p2", severities=(0, 3, 1), cost=(1500, 2048, 0), seconds=0.25),
    section("x", "p3", severities=(0, 0, 1), error=float("inf"), codes=["abs.C1"]),
    section("w", "p4", cost=(10, 1024, 512), error=0.125),
]


def test_the_index_has_what_programs_have() -> None:
    made = report_page(SECTIONS, [], "T<")
    assert '<h1 id="title" tabindex="-1">T&lt;</h1>' in made
    summary = f"4 programs, 2 errors, 4 warnings. Checked by shlo for StableHLO {CURRENT}."
    assert f'<p class="faint">{summary}</p>' in made
    buttons = re.findall(r'data-status="(\w+)" aria-pressed="(\w+)">(\w+) <span>(\d+)</span></button>', made)
    assert buttons == [
        *(("all", "true", "All", "4"), ("error", "false", "Errors", "1")),
        *(("warning", "false", "Warnings", "1"), ("ok", "false", "Clean", "1")),
    ]
    options = '<option value="">any</option><option>abs.C1</option><option>b&lt;c</option></select>'
    assert f'<label>Rule <select id="rule">{options}</label>' in made
    heads = re.findall(r'<button type="button">([^<]*)</button></th>', made)
    measured = ["operations", "traffic", "peak", "time", "max error"]
    assert heads == ["program", "status", "errors", "warnings", "functions", "ops", *measured]
    rows = [re.findall(r"<td(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", made)[1:]]
    shown = [[re.sub(r"^[^>]*>|<.*?>", "", cell) for cell in row] for row in rows]
    assert shown == [
        ["z", "error3", "2", "1", "1", "1,234", "", "", "", "", ""],
        ["y", "warning2", "0", "3", "1", "2", "1.50 k", "2 KiB", "0 B", "250.00 ms", ""],
        ["x", "note1", "0", "0", "1", "2", "", "", "", "", "inf"],
        ["w", "ok0", "0", "0", "1", "2", "10", "1 KiB", "512 B", "", "0.12"],
    ]
    keys = [[key for cell in row[2:] for key in re.findall('data-key="(.*?)"', cell)] for row in rows]
    assert keys[0] == ["2", "1", "1", "1234", "-1", "-1", "-1", "-1", "-1"]
    assert keys[1][4:] == ["1500", "2048", "0", "0.25", "-1"] and keys[2][-1] == "Infinity"
    assert '<a href="#p1" data-codes="abs.C1 b&lt;c" data-status="error">z</a>' in made


def test_columns_and_rules_that_no_program_has_are_not_there() -> None:
    made = report_page([section("a", "p1")], [])
    heads = re.findall(r'<button type="button">([^<]*)</button></th>', made)
    assert heads == ["program", "status", "errors", "warnings", "functions", "ops"]
    assert "<select" not in made and '<h1 id="title" tabindex="-1">StableHLO report</h1>' in made


# A program's tabs, text and findings


def subject(*found: shlo.Diagnostic, text: str = TEXT, first_line: int = 1, **given: Any) -> Subject:
    return Subject("p.mlir", text, MODULE, found, first_line, **given)


def test_a_text_that_is_no_program_has_no_functions_and_no_ops() -> None:
    broken = Subject("b", "nonsense", None, [])
    assert broken.sizes == (0, 0) and subject().sizes == (1, 2)
    assert "<dt>ops</dt>" not in program_section(broken).html


def finding(line: int, code: str = "a.C1", severity: Any = "error", column: int = 0) -> shlo.Diagnostic:
    return shlo.Diagnostic(severity, code, f"at {line}", line, column)


PROFILE = ProfileData([ProfileRow("add", "%0", 2, "", 1, 0.5, 0, 0, 0.25, 0.5)], [], 1, Limits(1, 1))
PANELS: dict[str, dict[str, Any]] = {
    "Program": {},
    "Signature and cost": {"analysis": analyze(MODULE), "memory": Memory(MODULE).timeline("main")},
    "Graph": {"graph": graph(MODULE)},
    "Profile": {"run": Run(PROFILE, notes=["a <note>"])},
}


@pytest.mark.parametrize("count", range(1, 5))
def test_tabs(count: int) -> None:
    """The first is selected and shown; the others are hidden, and not reached by the tabulator."""
    given = {key: value for panel in list(PANELS.values())[:count] for key, value in panel.items()}
    made = program_section(subject(**given))
    names = [f"{made.id}-{title.split()[0].lower()}" for title in list(PANELS)[:count]]
    tabs = [
        f'<button type="button" role="tab" id="{name}-tab" aria-controls="{name}" '
        + ('aria-selected="false" tabindex="-1"' if at else 'aria-selected="true"')
        + f">{title}</button>"
        for at, (name, title) in enumerate(zip(names, PANELS, strict=False))
    ]
    row = f'<div class="tabs" role="tablist" aria-label="Parts of the report">{"".join(tabs)}</div>'
    assert (row in made.html) == (count > 1) and made.html.count('role="tab"') == (count > 1) * count
    panels = re.findall(r'<div role="tabpanel" id="([^"]*)" aria-labelledby="([^"]*)"( hidden)?>', made.html)
    assert panels == [(name, f"{name}-tab", " hidden" if at else "") for at, name in enumerate(names)]
    assert ('<p class="faint">a &lt;note&gt;</p>' in made.html) == (count > 3)
    assert made.seconds == (0.5 if count > 3 else None)  # of a later run


@pytest.mark.parametrize("located", [False, True])
def test_locations_can_be_shown_where_there_are_some(located: bool) -> None:
    text = TEXT.replace("\n  return", ' loc("a")\n  return') if located else TEXT
    html = program_section(subject(text=text)).html
    shows = re.findall(r'<input type="checkbox" data-shows="(\w+)">', html)
    assert shows == ["wrap", "located"][: 1 + located]


def test_findings_are_listed_and_stand_at_their_lines() -> None:
    """Of a text from line 5 to 8; a finding elsewhere has no link, and a rule is explained once."""
    given = [finding(0), finding(5, column=3), finding(8, "b.C2", "warning"), finding(9, "b.C2", "note")]
    made = program_section(subject(*given, text=TEXT.rstrip("\n"), first_line=5))
    html, prefix = made.html, f"{made.id}-L"
    links = re.findall(r'<td class="number" data-key="\d+">(.*?)</td>', html)
    assert links == ["", f'<a href="#{prefix}5">5</a>', f'<a href="#{prefix}8">8</a>', "9"]
    assert re.findall(r"<td><code>(.*?)</code></td></tr>", html) == ["a.C1", "a.C1", "b.C2", "b.C2"]
    severities = re.findall(r'<td><b class="(\w+)">(\w+)</b></td>', html)
    assert severities == [(name, name) for name in ("error", "error", "warning", "note")]
    assert html.count('<table class="sortable">') == 1
    whole = re.findall(r'<details class="why" data-rule="([^"]+)"( open)?>', html)
    # first those that stand nowhere in the text, then those of lines
    assert whole == [("a.C1", " open"), ("b.C2", ""), ("a.C1", ""), ("b.C2", " open")]
    assert re.findall(r'<div data-line="(\d+)">', html) == ["5", "8"]
    data = json.loads(html.partition(f'id="{made.id}-text">')[2].partition("</script>")[0])
    assert data["first"] == 5 and set(data["marks"]) == {"5", "8"}
    assert data["marks"]["5"][0][::2] == [3, "error"] and data["marks"]["8"] == [[0, 0, "warning"]]
    assert made.severities == (2, 1, 1) and made.codes == ["a.C1", "b.C2"] and made.status == "error"
    assert "<dt>findings</dt><dd>2 errors, 1 warning, 1 note</dd>" in html
    one = program_section(subject(finding(1))).html
    assert "<table><caption" in one and "sortable" not in one
    none = program_section(subject(finding(0))).html  # nothing in the text to link to
    assert "Findings" not in none and 'class="finding error"' in none
    assert "<dt>findings</dt><dd>none</dd>" in program_section(subject()).html


# Tables that can be sorted are those of several rows


def sortable(html: str) -> list[bool]:
    return [" class=" in each for each in re.findall(r"<table[^>]*>", html)]


SENT = {"op": "a", "line": 1, "scope": "", "axes": [], "times": 1, "sent": 1, "received": 1, "seconds": None}
HELD = {
    **dict.fromkeys(("type", "local_type", "sharding"), ""),
    **dict.fromkeys(("bytes", "copies"), 1),
    "name": "x",
    "kind": "peak",
    "slices": None,
}
NUMBERS = ("devices", "peak_bytes", "whole_peak_bytes", "argument_bytes", "replicated_bytes", "flops")


@pytest.mark.parametrize("count", [1, 2])
def test_tables_of_several_rows_can_be_sorted(count: int) -> None:
    found = {"mesh": {}, "communication": {"sent": 0}, "collectives": [SENT] * count, "undivided": []}
    devices = devices_html(found | dict.fromkeys(NUMBERS, 0) | {"values": [HELD] * count})
    assert sortable(devices) == [count > 1] * 2
    assert "<h2>Live at the peak</h2>" in devices
    op = MODULE.functions["main"].blocks[0].ops[0]
    shadow = shadow_page(Shadow("f64", [ShadowRow(op, "a", "%0", "f32", 1, "", "")] * count), "p")
    assert sortable(shadow) == [count > 1]
    functions = "\n".join(TEXT.replace("@main", f"@f{at}") for at in range(count))
    if count > 1:
        functions = functions.replace(".add", ".multiply", 1)
    html = program_section(subject(analysis=analyze(shlo.parse(functions)))).html
    found_in_cost = sortable(html)
    assert (found_in_cost[0], found_in_cost[-1]) == (count > 1, count > 1)  # of functions, and of ops by name


def keys(html: str) -> list[list[str]]:
    """What the cells of each row but the first are sorted by; "" for their text."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)[1:]
    return [[key or "" for key in re.findall(r'<td[^>]*?(?:data-key="([^"]*)")?>', row)] for row in rows]


def test_numbers_are_what_rows_are_sorted_by() -> None:
    row = ("", "", "", "7", "", "")
    sent = SENT | {"line": 7, "times": 1200, "sent": 2048, "received": 4096, "seconds": 0.25}
    found = {"mesh": {}, "communication": {"sent": 0}, "collectives": [sent, SENT], "undivided": []}
    html = devices_html(found | dict.fromkeys(NUMBERS, 0) | {"values": []})
    assert keys(html) == [
        ["", "7", "", "", "1200", "2048", "4096", "0.25"],
        ["", "1", "", "", "1", "1", "1", "0"],
    ]
    profile = ProfileRow("add", "%0", 7, "", 3, 0.5, 2e9, 1e9, 0.25, 0.5)
    html = profile_html(ProfileData([profile], [], 1, Limits(1, 1)))
    assert keys(html) == [["", "", "7", "", "0.5", "100.0", "0.25", "3", "4.0", "2.0"]]
    op = MODULE.functions["main"].blocks[0].ops[0]
    shadow = ShadowRow(op, "a", "%0", "f16", 7, "", "", error=0.5, overflow=3, flushed=4, cancelled=1.5)
    (cells,) = keys(shadow_page(Shadow("f64", [shadow]), "p"))
    assert cells[:6] == list(row)
    assert cells[6:11] == ["0.0", "0.0", "0.5", "0.0", "1.5"] and cells[12:] == ["3", "4", ""]
    assert float(cells[11]) == pytest.approx(math.log10(2))  # an error of a half has that many digits


def test_the_plot_of_scopes_has_the_width_of_the_page() -> None:
    op = MODULE.functions["main"].blocks[0].ops[0]
    rows = [ShadowRow(op, "a", "%0", "f32", 1, "", "")]
    made = shadow_page(Shadow("f64", rows, {"f": 0.5, "g": 0.25, "h": 0.0}), "p")
    assert 'aria-label="Contribution of name scopes" viewBox="0 0 1240 44"' in made


@pytest.mark.parametrize(
    ("rows", "columns", "width", "height"),
    [(2, 2, 48, 48), (1, 48, 48, 8), (48, 1, 8, 48), (6, 12, 48, 24), (1, 1, 48, 48), (48, 24, 24, 48)],
)
def test_a_map_has_48_pixels_along_its_longer_side(rows: int, columns: int, width: int, height: int) -> None:
    made = pixel_map([[0.0] * columns] * rows, "m")
    assert re.findall(r'width="(\d+)" height="(\d+)"', made) == [(str(width), str(height))]


def test_numbers_in_notebooks_are_on_the_right_with_separators() -> None:
    made = table(("a", "b"), [("x<", 1234), (5, "y")])
    assert "<tr><td>x&lt;</td>" in made and '<td style="text-align: right">1,234</td></tr>' in made
    assert '<tr><td style="text-align: right">5</td><td>y</td></tr>' in made


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        # four or more in a tree, whose name is the first of a path
        (["p/a/w", "p/b/w", "p/c/w", "p/d", "x"], [True] * 4 + [False]),
        (["p/a", "p/b", "p/c", "q/d", "x"], [False] * 5),
        (["p/a/w", "p/b/w", "p/c/w", "q/a/w"], [False] * 4),
        # eight or more without a name; the last one is an input
        ([""] * 8, [True] * 7 + [False]),
        ([""] * 7, [False] * 7),
    ],
)
def test_arguments_that_are_weights(paths: list[str], expected: list[bool]) -> None:
    assert find_weights(paths, [TensorType((2,), FloatType("f32"))] * len(paths)) == expected


# Precision: errors along the program, at the middle of each op's place


def test_errors_along_the_program() -> None:
    """Four ops from 76 to 1224: 287 each. Powers of ten from 1e-6 at 256 to 1e-2 at 28: 57 each."""
    op = MODULE.functions["main"].blocks[0].ops[0]
    rows = [ShadowRow(op, "a", "%0", "f32", line, "", "", error=error) for line, error in LINES]
    rows[1] = replace(rows[1], contribution=4.0)
    rows[2] = replace(rows[2], contribution=1.0)
    made = shadow_page(Shadow("f64", rows), "p")
    dots = re.findall(r'<circle class="dot" cx="(.*?)" cy="(.*?)" r="(.*?)">', made)
    assert dots == [("219.5", "256", "2.5"), ("506.5", "142", "5"), ("1080.5", "28", "7.5")]
    assert re.findall(r"<title>line (\d): a %0: error (\S+), contribution (\S+)</title>", made) == [
        *(("1", "1e-06", "0"), ("2", "0.0001", "1"), ("4", "0.01", "4")),
    ]
    labels = re.findall(r'<text x="(\S+)" y="(\S+)" class="end">(1e\S+)</text>', made)
    assert labels == [("68", f"{256 - 57 * at + 4}", f"1e-0{6 - at}") for at in range(5)]


LINES = [(1, 1e-6), (4, 1e-2), (2, 1e-4), (3, 0.0)]  # the third in the text is exact


# What the rules of diagnostics are


@pytest.mark.parametrize(
    ("code", "summary", "severity", "is_markdown"),
    [
        ("parse", "Syntax error: unexpected token, or invalid name or literal.", "error", False),
        ("ssa", "Use of an undefined value, or of a value with a different type.", "error", False),
        ("abs.C1", "stablehlo.abs (C1): shape(result) = shape(operand)", "error", False),
        ("abs.C9", "Violation of abs.C9.", "error", False),
        ("nothing.C1", "Violation of nothing.C1.", "error", False),
        ("what", "Violation of what.", "error", False),
    ],
)
def test_descriptions_of_rules(code: str, summary: str, severity: str, is_markdown: bool) -> None:
    found = describe(code)
    assert (found.code, found.summary, found.severity, found.is_markdown) == (
        *(code, summary, severity, is_markdown),
    )
    anchor = "#abs" if code == "abs.C1" else ""
    assert found.uri == f"https://github.com/openxla/stablehlo/blob/main/docs/spec.md{anchor}"
    assert (summary == found.help) == (code != "abs.C1")


def test_the_description_of_an_input_has_its_type() -> None:
    assert describe("transpose.I2").summary == (
        "stablehlo.transpose (I2): 1-dimensional tensor constant of type `si64`"
    )


def test_descriptions_of_rules_that_warn() -> None:
    """A rule that the specification's text alone has, and rules of the linter with their own severity."""
    found = describe("dot_general.C11")
    assert (found.severity, found.is_markdown) == ("warning", False)
    assert found.summary == "stablehlo.dot_general (C11): size(precision_config) = 2"
    assert found.uri.endswith("/docs/spec.md#dot_general")
    assert max(map(len, found.help.splitlines())) <= 100
    for code, severity in (("dead-op", "warning"), ("elided-constant", "error"), ("old-spelling", "note")):
        found = describe(f"lint.{code}")
        assert (found.severity, found.uri, found.is_markdown) == (severity, "", True)
        assert found.help.startswith(f"## {code} (") and "```mlir" in found.help
    assert describe("lint.dead-op").summary == "Op without side effects whose results are unused"
