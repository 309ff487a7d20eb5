"""`shlo report` in a real browser: by pointer, by keyboard, and what a screen reader needs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

_TEXT = (Path(__file__).parent / "test_programs_report.py").read_text()
GOOD = _TEXT.partition('GOOD = """')[2].partition('"""')[0]
WRONG = _TEXT.partition('WRONG = """')[2].partition('"""')[0]
LOOP = """func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %c = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi32>
  %0 = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %limit = stablehlo.constant dense<3> : tensor<i32>
    %more = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return %0 : tensor<i32>
}
"""
CONTRAST = """() => {
  const channels = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const [x, y, z] = [r, g, b].map(c => linear(c / 255));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, style")) continue;
    const style = getComputedStyle(element);
    const ink = channels(element.closest("svg") ? style.fill : style.color);
    const [low, high] = [light(ink), light(behind(element))].sort((a, b) => a - b);
    if ((high + 0.05) / (low + 0.05) < 4.5) found.push([element.outerHTML.slice(0, 90), ink.join()]);
  }
  return found;
}"""


@pytest.fixture
def report(shlo: Shlo, tmp_path: Path) -> str:
    """The address of a report on three programs and a damaged file."""
    for name, text in (("good", GOOD), ("loop", LOOP), ("wrong", WRONG)):
        (tmp_path / f"{name}.mlir").write_text(text)
    (tmp_path / "damaged.mlir").write_bytes(b"ML\xefR\x06\x00" + bytes(20))
    out = tmp_path / "report.html"
    assert shlo("report", tmp_path, "--random", 0, "-o", out).returncode == 1
    return out.as_uri()


@pytest.fixture
def opened(browser: Browser, report: str) -> Iterator[Page]:
    """The page; a test fails if a script raises, or the page asks for anything else."""
    view = browser.new_page(viewport={"width": 1200, "height": 900})
    wrong: list[str] = []
    view.on("pageerror", lambda error: wrong.append(str(error)))
    view.on("console", lambda message: wrong.append(message.text))
    view.on("request", lambda request: None if request.url == report else wrong.append(request.url))
    view.goto(report)
    yield view
    view.close()
    assert wrong == []


def names(view: Page) -> list[str]:
    """The programs that the index shows, in order."""
    links = view.locator("#index tbody tr:visible td:first-child a").all_text_contents()
    return [Path(name).stem for name in links]


def open_program(view: Page, name: str) -> None:
    view.click(f"#index a:has-text('{name}.mlir')")


def test_the_index_sorts_and_filters_by_keyboard(opened: Page) -> None:
    assert names(opened) == ["damaged", "good", "loop", "wrong"]
    head = opened.get_by_role("columnheader", name="ops", exact=True)
    head.get_by_role("button").focus()
    opened.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert names(opened)[0] == "loop"
    opened.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "ascending"
    assert names(opened)[0] == "damaged"
    opened.get_by_role("searchbox", name="Filter by name or rule").fill("transpose.C2")
    assert names(opened) == ["wrong"] and opened.get_by_role("status").inner_text() == "1 of 4"
    opened.get_by_role("searchbox").fill("")
    errors = opened.get_by_role("button", name="Errors 2")
    errors.press("Enter")
    assert errors.get_attribute("aria-pressed") == "true" and names(opened) == ["damaged", "wrong"]
    opened.get_by_role("combobox", name="Rule").select_option("transpose.C3")
    assert names(opened) == ["wrong"]
    opened.get_by_role("searchbox").fill("nothing")
    assert opened.get_by_text("No program matches.").is_visible()


def test_findings_are_beside_their_lines(opened: Page) -> None:
    open_program(opened, "wrong")
    assert opened.title().endswith("wrong.mlir – StableHLO report")
    assert opened.evaluate("document.activeElement.tagName") == "H1"
    finding = opened.get_by_role("note").first
    assert "permutation is a permutation" in finding.inner_text()
    assert "sorted(permutation) = range(rank(operand))" in finding.locator("article").inner_text()
    line, card = (
        opened.locator("summary:visible, .line:visible").nth(1).bounding_box(),
        finding.bounding_box(),
    )
    assert line and card and 0 <= card["y"] - (line["y"] + line["height"]) < 20
    opened.locator(".findings a:visible").first.click()
    assert opened.locator(".here").inner_text().strip().startswith("2")
    opened.go_back()
    opened.go_back()
    assert opened.locator("#index").is_visible()


def test_folding_by_keyboard(opened: Page) -> None:
    open_program(opened, "loop")
    opened.locator("[data-fold=open]:visible").click()
    last = opened.locator(".line:visible", has_text="stablehlo.return %next")
    region = opened.locator("summary:visible", has_text="do {")
    region.focus()
    opened.keyboard.press("Enter")
    assert not last.is_visible()
    opened.keyboard.press("Space")
    assert last.is_visible()
    constant = opened.locator("details.constant > summary:visible")
    constant.focus()
    opened.keyboard.press("Enter")
    assert opened.locator("details.constant[open]").inner_text().endswith("15, 16]>")
    opened.evaluate("location.hash = document.querySelector('.line[id$=\"-L10\"]').id")  # in a folded region
    opened.locator("[data-fold=close]:visible").click()
    assert not last.is_visible()
    opened.evaluate("location.hash = location.hash.replace('-L10', '-L9')")
    assert opened.locator(".here").is_visible()


def test_tabs_by_keyboard(opened: Page) -> None:
    open_program(opened, "good")
    tabs = opened.locator("[role=tab]:visible")
    assert tabs.all_text_contents() == ["Program", "Signature and cost", "Graph", "Profile"]
    tabs.first.focus()
    for title in ("Signature and cost", "Graph", "Profile", "Program"):
        opened.keyboard.press("ArrowRight")
        focused = opened.evaluate("[document.activeElement.textContent, document.activeElement.ariaSelected]")
        assert focused == [title, "true"]
        assert opened.get_by_role("tabpanel", name=title).is_visible()
    opened.keyboard.press("End")
    assert opened.get_by_role("img", name="Time by op name").is_visible()
    opened.keyboard.press("ArrowLeft")
    titles = opened.locator(".graph .item > text.title").all_text_contents()
    assert titles == ["@main", "%x", "add", "return"]


def test_names_and_order_for_screen_readers(opened: Page) -> None:
    unnamed = """() => {
      const labelled = e => e.ariaLabel || e.getAttribute("aria-labelledby") || e.labels?.length;
      const named = e => labelled(e) || e.textContent.trim();
      const parts = [...document.querySelectorAll("button, a, input, select, [role], svg, table")];
      return parts.filter(e => !named(e) && e.role !== "status").map(e => e.outerHTML.slice(0, 80));
    }"""
    assert opened.evaluate(unnamed) == []
    ids = opened.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    assert (
        opened.evaluate(
            'document.querySelectorAll(\'[tabindex]:not([tabindex="0"], [tabindex="-1"])\').length'
        )
        == 0
    )
    opened.reload()
    order = []
    for _ in range(8):
        opened.keyboard.press("Tab")
        order.append(opened.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert order == ["filter", "All 4", "Errors 2", "Warnings 1", "Clean 1", "rule", "program", "status"]


LOCATED = """#loc1 = loc("x")
#loc2 = loc("m.py":1:1)
func.func @main(%x: tensor<f32> loc("x")) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32> loc(#loc2)
  return %0 : tensor<f32>
}
"""
HOSTILE = '<img src=x onerror="alert(1)">\u202e'


def written(shlo: Shlo, folder: Path, text: str) -> str:
    (folder / "one.mlir").write_text(text)
    out = folder / "one.html"
    shlo("report", folder / "one.mlir", "-o", out)
    return out.as_uri()


def test_locations_are_hidden(browser: Browser, shlo: Shlo, tmp_path: Path) -> None:
    view = browser.new_page()
    view.goto(written(shlo, tmp_path, LOCATED))
    text = view.get_by_role("region", name="Text of the program")
    assert "2 lines of locations" in text.inner_text() and "loc(" not in text.inner_text()
    view.get_by_role("checkbox", name="Locations").check()
    assert "tensor<f32> loc(#loc2)" in text.inner_text() and "#loc1" not in text.inner_text()
    view.evaluate("location.hash = document.querySelector('[data-text]').dataset.prefix + 2")
    view.locator(".here").wait_for()
    assert view.locator(".here").inner_text().endswith('#loc2 = loc("m.py":1:1)')
    view.close()


def test_hostile_text_is_shown_as_text(browser: Browser, shlo: Shlo, tmp_path: Path) -> None:
    view = browser.new_page()
    view.goto(written(shlo, tmp_path, f"// {HOSTILE}\n{GOOD}"))
    assert view.locator(".line").first.inner_text().endswith('// <img src=x onerror="alert(1)">\\u202e')
    assert view.locator("img").count() == 0
    view.close()


def test_lines_are_made_where_they_are_looked_at(browser: Browser, shlo: Shlo, tmp_path: Path) -> None:
    lines = "".join(f"  %v{i} = stablehlo.add %x, %x : tensor<2xf32>\n" for i in range(3000))
    view = browser.new_page()
    view.goto(written(shlo, tmp_path, GOOD.replace("  %0", f"{lines}  %0").replace("add", "bad", 1)))
    view.locator(".line").first.wait_for()
    assert view.locator(".line").count() < 500
    view.evaluate("location.hash = document.querySelector('[data-text]').dataset.prefix + 2500")
    view.locator(".here").wait_for()
    assert "%v2498 = stablehlo.add" in view.locator(".here").inner_text()
    assert view.locator(".line").count() < 1500
    view.close()


def test_hints_are_what_the_graph_says(opened: Page) -> None:
    open_program(opened, "loop")
    value = opened.locator(".line:visible .v", has_text="%limit").last
    value.hover()
    opened.locator('.v[title="%limit: tensor<i32>"]').first.wait_for()
    opened.locator(".line:visible .o", has_text="stablehlo.compare").hover()
    opened.locator('.o[title^="stablehlo.compare"]').wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(browser: Browser, report: str, scheme: str) -> None:
    view = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
    view.goto(report)
    assert view.evaluate(CONTRAST) == []
    for name in ("wrong", "loop"):
        view.goto(f"{report}#index")
        open_program(view, name)
        for tab in view.locator("[role=tab]:visible").all():
            tab.click()
            assert view.evaluate(CONTRAST) == []
        assert view.evaluate(CONTRAST) == []
    view.close()
