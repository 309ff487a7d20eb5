"""The HTML graph in a real browser: drawing, search, expansion and details."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import stablehlo_py as shlo
from stablehlo_py.reports.graph import graph, page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSER = os.environ.get("BROWSER_PATH") or shutil.which("chromium") or shutil.which("google-chrome")
PROGRAM = (
    (Path(__file__).parent / "test_graph.py")
    .read_text()
    .partition('PROGRAM = """\\\n')[2]
    .partition('"""')[0]
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright to steer a browser")
    if BROWSER is None:
        pytest.skip("needs a browser: Chromium or Chrome")
    with playwright.sync_playwright() as session:
        browser = session.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page of a small program; a test fails if its script raises or it asks for anything else."""
    path = tmp_path / "graph.html"
    path.write_text(page(graph(shlo.parse(PROGRAM, "net.mlir"))))
    view = browser.new_page(viewport={"width": 1200, "height": 900})
    wrong: list[str] = []
    view.on("pageerror", lambda error: wrong.append(str(error)))
    view.on("request", lambda request: wrong.append(request.url) if request.url != path.as_uri() else None)
    view.goto(path.as_uri())
    yield view
    view.close()
    assert wrong == []


def drawn(view: Page) -> list[str]:
    return view.locator(".item > text.title").all_text_contents()


def item(view: Page, title: str) -> str:
    """The selector of the first item of a title."""
    index = drawn(view).index(title)
    identity = view.locator(".item").nth(index).get_attribute("data-id")
    return f'.item[data-id="{identity}"]'


def test_everything_is_drawn(opened: Page) -> None:
    assert opened.title() == "net.mlir"
    assert drawn(opened) == [
        *("@main", "%x", "%p", "multiply  (5.000000e-01)", "if", "true_branch", "return"),
        *("false_branch", "call", "return", "return", "@root", "%x", "sqrt", "return"),
    ]
    assert opened.locator(".edge").count() == 8


def test_boxes_do_not_overlap_and_values_flow_down(opened: Page) -> None:
    titles = ("%x", "multiply  (5.000000e-01)", "if")
    x, multiply, branch = (opened.locator(f"{item(opened, title)} > .box").bounding_box() for title in titles)
    assert x and multiply and branch
    assert x["y"] + x["height"] < multiply["y"] < multiply["y"] + multiply["height"] < branch["y"]


def test_constants_are_shown_on_demand(opened: Page) -> None:
    opened.check("#constants")
    assert "5.000000e-01" in drawn(opened)
    assert "multiply" in drawn(opened)
    assert opened.locator(".edge").count() == 9


def test_regions_and_functions_close_and_open(opened: Page) -> None:
    opened.dblclick(f"{item(opened, 'false_branch')} > .box", position={"x": 4, "y": 4})
    assert "false_branch ▸ 2 ops" in drawn(opened) and "call" not in drawn(opened)
    opened.click("#collapse")
    assert drawn(opened) == ["@main ▸ 6 ops", "@root ▸ 2 ops"]
    opened.click("#expand")
    assert "call" in drawn(opened)


def test_a_click_tells_of_an_op(opened: Page) -> None:
    opened.click(f"{item(opened, 'multiply  (5.000000e-01)')} > .box")
    told = opened.locator("#details").inner_text()
    for words in ("stablehlo.multiply", "net.py:7:3", "%y : tensor<2xf32>", "%half", "Constraints", "C1"):
        assert words in told
    assert opened.locator(".edge.near").count() == 2
    opened.click('#details .jump:has-text("%half")')
    assert "stablehlo.constant" in opened.locator("#details").inner_text()
    assert opened.is_checked("#constants")
    opened.keyboard.press("Escape")


def test_search_opens_what_it_finds(opened: Page) -> None:
    opened.click("#collapse")
    opened.fill("#search", "sqrt")
    assert opened.locator("#found").inner_text() == "1 found"
    opened.press("#search", "Enter")
    assert "sqrt" in drawn(opened)
    assert opened.locator(".item.selected > text.title").text_content() == "sqrt"


def test_the_wheel_zooms_and_dragging_moves(opened: Page) -> None:
    world = opened.locator("#world")
    before = world.get_attribute("transform")
    opened.mouse.move(600, 500)
    opened.mouse.wheel(0, -200)
    zoomed = world.get_attribute("transform")
    assert zoomed != before
    opened.mouse.down()
    opened.mouse.move(500, 450)
    opened.mouse.up()
    assert world.get_attribute("transform") != zoomed
    opened.click("#fit")
    assert world.get_attribute("transform") == before
