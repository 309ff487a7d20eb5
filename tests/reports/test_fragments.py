"""Fragments of pages, as a whole: diagnostics, tables, objects in notebooks, folds, estimates, warnings."""

from __future__ import annotations

import re

import pytest
from page_reader import Read

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import Diagnostic
from stablehlo_py.reports import program_html
from stablehlo_py.reports.notebook import diagnostic_html, html, table
from stablehlo_py.reports.report.section import program_section
from stablehlo_py.reports.report.subject import Subject
from stablehlo_py.reports.shadow_html import shadow_page
from stablehlo_py.rounding.rows import Shadow


@pytest.mark.parametrize(
    ("diagnostic", "expected"),
    [
        (Diagnostic("error", "a<", "m&", 3, 4, ("one", "<two>")),
         '<div class="diagnostic"><b class="error">3:4: error:</b> m&amp; [a&lt;]\n'
         '<span class="note">one</span>\n<span class="note">&lt;two&gt;</span></div>'),
        (Diagnostic("note", "c", "m", 0, 7),
         '<div class="diagnostic"><b class="note">note:</b> m [c]</div>'),
    ],
)  # fmt: skip
def test_a_diagnostic(diagnostic: Diagnostic, expected: str) -> None:
    assert diagnostic_html(diagnostic) == expected
    assert html(diagnostic).endswith(f'<div class="shlo-program">{expected}</div>')


def test_a_table() -> None:
    assert table(("a<", "b"), [("x&", 1234), (1.5, -2)]) == (
        '<table><thead><tr><th scope="col">a&lt;</th><th scope="col">b</th></tr></thead><tbody>'
        '<tr><td>x&amp;</td><td style="text-align: right">1,234</td></tr>'
        '<tr><td>1.5</td><td style="text-align: right">-2</td></tr></tbody></table>'
    )
    assert table((), []) == "<table><thead><tr></tr></thead><tbody></tbody></table>"


def test_what_has_no_html() -> None:
    with pytest.raises(TypeError, match=r"^no HTML for int$"):
        html(3)


COSTS = """func.func private @half(%x: tensor<6xf32>) -> tensor<6xf64> {
  %0 = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xf64>
  return %0 : tensor<6xf64>
}
func.func @main(%x: tensor<6xf32>) -> tensor<6xf64> {
  %0 = stablehlo.add %x, %x : tensor<6xf32>
  %1 = stablehlo.custom_call @f(%0) : (tensor<6xf32>) -> tensor<6xf32>
  %2 = call @half(%1) : (tensor<6xf32>) -> tensor<6xf64>
  return %2 : tensor<6xf64>
}"""


def test_an_analysis_and_a_program_in_a_notebook() -> None:
    """Six elements of four and eight bytes; an addition for each."""
    module = shlo.parse(COSTS, "c<.mlir")
    shown = html(shlo.analyze(module))
    assert shown.startswith("<p><b>c&lt;.mlir</b></p><table>")
    read = Read(shown)
    assert read.rows[0] == ["function", "ops", "FLOPs", "argument bytes", "result bytes", "peak bytes"]
    rows = {row[0]: row for row in read.rows[1:]}
    assert rows["@half"][3:5] == ["24", "48"] and rows["@main"][3:5] == ["24", "48"]
    assert rows["@main"][2] == str(6 + int(rows["@half"][2]))
    local = shlo.parse(COSTS.replace("custom_call @f(%0)", "sine %0").replace(
        "sine %0 : (tensor<6xf32>) -> tensor<6xf32>", "sine %0 : tensor<6xf32>"))  # fmt: skip
    program = html(shlo.compile(local, engine="numpy"))
    assert program.startswith("<p><b>@main</b> on engine numpy</p><table>")
    assert Read(program).rows == [
        ["", "name", "type"], ["input", "%x", "tensor<6xf32>"], ["result", "0", "tensor<6xf64>"],
    ]  # fmt: skip


def test_a_module_under_construction_is_shown_as_text() -> None:
    """An op with a name that no parser accepts: the types of values are not known."""
    module = shlo.parse(COSTS)
    whole = html(module)
    next(op for op in module.walk() if op.name == "stablehlo.add").name = "my op"
    shown = html(module)
    text = re.sub(r"<style>.*?</style>|<[^>]*>", "", shown, flags=re.DOTALL)
    assert "my op" in text and "@main" in text
    assert shown.count("title=") < whole.count("title=")


def test_what_is_estimated_has_a_table() -> None:
    module = shlo.parse(COSTS)
    section = program_section(Subject("p", COSTS, module, [], analysis=shlo.analyze(module))).html
    _, _, estimates = section.partition("<h3>Estimates</h3>")
    rows = Read(estimates[: estimates.index("</table>") + len("</table>")]).rows
    assert rows == [["line", "what is estimated"], ["7", "the cost of custom_call @f is unknown"]]
    plain = shlo.parse("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    assert "Estimates" not in program_section(Subject("p", "", plain, [], analysis=shlo.analyze(plain))).html


@pytest.mark.parametrize(
    ("open", "brackets", "left", "ends"),
    [
        ([], 2, [], 0),
        ([2], 1, [1], 0),
        ([2], 2, [], 1),
        ([1], 3, [], 1),
        ([2, 1], 2, [1], 1),
        ([2, 1], 3, [], 2),
        ([3, 2], 0, [3, 2], 0),
    ],
)
def test_folds_end_with_their_brackets(open: list[int], brackets: int, left: list[int], ends: int) -> None:
    closing, rows = [*open], ["a"]
    program_html._close(closing, brackets, rows)
    assert (closing, rows) == (left, ["a", *["</details>"] * ends])


def test_warnings_and_remarks_of_a_shadow_run() -> None:
    """Errors as large as the results, beyond what the ops introduce; and ops that ran as they are."""
    plain = shadow_page(Shadow("f64", errors=[0.0]), "p")
    assert "chaotic" not in plain and "not shadowed" not in plain
    made = shadow_page(Shadow("f64", errors=[1.0, None], predicted=1e9), "p")
    assert (
        "<p>the program is chaotic: errors grow over many ops until no digit of the results is left" in made
    )
    made = shadow_page(Shadow("f64", unshadowed={("no <", "a.b"): 2, ("no <", "c"): 1}), "p")
    assert '<p class="faint">not shadowed: no &lt;: a.b (2), c</p>' in made
