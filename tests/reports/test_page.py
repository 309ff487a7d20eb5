"""The HTML graph in a real browser: drawing, search, expansion and details."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import stablehlo_py as shlo
from stablehlo_py.reports.graph import graph, page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_TEXT = (Path(__file__).parent / "test_graph.py").read_text()
PROGRAM = _TEXT.partition('PROGRAM = """\\\n')[2].partition('"""')[0]
SCOPED = _TEXT.partition('SCOPED = """')[2].partition('"""')[0]


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
    opened.check("[data-part=constants]")
    assert "5.000000e-01" in drawn(opened)
    assert "multiply" in drawn(opened)
    assert opened.locator(".edge").count() == 9


def test_regions_and_functions_close_and_open(opened: Page) -> None:
    opened.dblclick(f"{item(opened, 'false_branch')} > .box", position={"x": 4, "y": 4})
    assert "false_branch ▸ 2 ops" in drawn(opened) and "call" not in drawn(opened)
    opened.click("[data-part=collapse]")
    assert drawn(opened) == ["@main ▸ 6 ops", "@root ▸ 2 ops"]
    opened.click("[data-part=expand]")
    assert "call" in drawn(opened)


def test_a_click_tells_of_an_op(opened: Page) -> None:
    opened.click(f"{item(opened, 'multiply  (5.000000e-01)')} > .box")
    told = opened.locator("[data-part=details]").inner_text()
    for words in ("stablehlo.multiply", "net.py:7:3", "%y : tensor<2xf32>", "%half", "Constraints", "C1"):
        assert words in told
    assert opened.locator(".edge.near").count() == 2
    opened.click('[data-part=details] .jump:has-text("%half")')
    assert "stablehlo.constant" in opened.locator("[data-part=details]").inner_text()
    assert opened.is_checked("[data-part=constants]")
    opened.keyboard.press("Escape")


def test_search_opens_what_it_finds(opened: Page) -> None:
    opened.click("[data-part=collapse]")
    opened.fill("[data-part=search]", "sqrt")
    assert opened.locator("[data-part=found]").inner_text() == "1 found"
    opened.press("[data-part=search]", "Enter")
    assert "sqrt" in drawn(opened)
    assert opened.locator(".item.selected > text.title").text_content() == "sqrt"


def test_the_wheel_zooms_and_dragging_moves(opened: Page) -> None:
    world = opened.locator("[data-part=world]")
    before = world.get_attribute("transform")
    opened.mouse.move(600, 500)
    opened.mouse.wheel(0, -200)
    zoomed = world.get_attribute("transform")
    assert zoomed != before
    opened.mouse.down()
    opened.mouse.move(500, 450)
    opened.mouse.up()
    assert world.get_attribute("transform") != zoomed
    opened.click("[data-part=fit]")
    assert world.get_attribute("transform") == before


def test_scopes_open_layer_by_layer(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "scopes.html"
    path.write_text(page(graph(shlo.parse(SCOPED), costs=True, errors={5: 0.5})))
    view = browser.new_page(viewport={"width": 1200, "height": 900})
    view.goto(path.as_uri())
    assert drawn(view) == ["@main", "%x", "jit(main)", "Block_0 ▸ 3 ops", "negate", "return"]
    inside = view.locator(f"{item(view, 'Block_0 ▸ 3 ops')} > text.type")
    assert inside.text_content() == "dot, add, tanh"  # 128, 16 and 16 operations
    view.dblclick(f"{item(view, 'Block_0 ▸ 3 ops')} > .box", position={"x": 4, "y": 4})
    assert drawn(view) == ["@main", "%x", "jit(main)", "Block_0", "Mlp ▸ 2 ops", "tanh", "negate", "return"]
    view.click(f"{item(view, 'Mlp ▸ 2 ops')} > .box", position={"x": 4, "y": 4})
    told = view.locator("[data-part=details]").inner_text()
    assert "144 (82 %)" in told  # of 176 operations
    view.focus("[data-part=canvas]")
    view.keyboard.press("Enter")
    assert drawn(view)[4:7] == ["Mlp", "dot", "add"]
    view.keyboard.press("Shift+ArrowDown")  # from Mlp to its first op
    assert view.locator(".item.selected > text.title").text_content() == "dot"
    fills = {
        title: view.locator(f"{item(view, title)} > .box").evaluate("e => e.style.fill")
        for title in drawn(view)
    }
    assert [title for title, fill in fills.items() if fill] == [
        "@main",
        "jit(main)",
        "Block_0",
        "tanh",
    ]  # errors
    view.select_option("[data-part=colour]", "operations")
    assert view.locator(".item > .box[style]").count() == 8
    view.select_option("[data-part=colour]", "kind")
    kinds = view.locator("[data-part=kinds] > span").all_text_contents()
    assert kinds == ["contraction", "control"]  # dot and return
    fill = view.locator(f"{item(view, 'dot')} > .box").evaluate("e => e.style.fill")
    assert fill == "var(--contraction)"
    view.close()


WEIGHTS = """func.func @main(
    %arg0: tensor<4x4xf32> loc("params['a']['kernel']"), %arg1: tensor<4xf32> loc("params['a']['bias']"),
    %arg2: tensor<4x4xf32> loc("params['b']['kernel']"), %arg3: tensor<4xf32> loc("params['b']['bias']"),
    %arg4: tensor<2x4xf32> loc("x")) -> tensor<2x4xf32> {
  %0 = stablehlo.dot %arg4, %arg0 : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.dot %0, %arg2 : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.add %1, %2 : tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}
"""


def test_weights_are_in_the_ops_that_use_them(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "weights.html"
    path.write_text(page(graph(shlo.parse(WEIGHTS), costs=True)))
    view = browser.new_page(viewport={"width": 1200, "height": 900})
    view.goto(path.as_uri())
    # The bias of b has no user: nothing else shows it.
    assert drawn(view) == ["@main", "params/b/bias", "x", "dot", "dot", "broadcast_in_dim", "add", "return"]
    assert view.locator("text.weight").all_text_contents() == [
        "▪ params/a/kernel 4x4xf32",
        "▪ params/b/kernel 4x4xf32",
        "▪ params/a/bias 4xf32",
    ]
    assert view.locator(".edge").count() == 5
    view.check("[data-part=constants]")
    assert view.locator("text.weight").count() == 0 and view.locator(".edge").count() == 8
    view.close()


def many(count: int) -> str:
    ops = "\n".join(f"  %{i} = stablehlo.add %{i - 1 if i else 'x'}, %x : tensor<f32>" for i in range(count))
    return (
        f"func.func @main(%x: tensor<f32>) -> tensor<f32> {{\n{ops}\n  return %{count - 1} : tensor<f32>\n}}"
    )


def test_many_ops_are_nested_and_drawn_where_the_window_is(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    path.write_text(page(graph(shlo.parse(many(20_000)))))
    assert path.stat().st_size < 1_000_000  # 4.5 MB as text
    view = browser.new_page(
        viewport={"width": 1200, "height": 900}, bypass_csp=True
    )  # it waits for expressions
    view.goto(path.as_uri())
    view.wait_for_selector(".item")
    first = drawn(view)  # 142 segments of 142 lines are four of them
    assert first[:3] == ["@main", "%x", "lines 2 – 3409 ▸ 3408 ops"] and len(first) < 10
    view.click("[data-part=expand]")
    assert 10 < view.locator(".item").count() < 200
    view.click("[data-part=fit]")
    view.wait_for_function("document.querySelectorAll('.item').length < 10")  # paths of many boxes
    view.click("[data-part=collapse]")
    view.fill("[data-part=search]", "%19990")
    view.press("[data-part=search]", "Enter")
    view.wait_for_function("document.querySelectorAll('.item').length > 10")
    assert view.locator(".item").count() < 200 and view.locator(".item.selected").count() == 1
    view.close()


def test_functions_beside_main_are_in_the_window(browser: Browser, tmp_path: Path) -> None:
    helpers = [many(3).replace("@main", f"@helper_with_a_long_name_{i}") for i in range(6)]
    path = tmp_path / "functions.html"
    path.write_text(page(graph(shlo.parse("\n".join([many(30), *helpers])))))
    view = browser.new_page(viewport={"width": 1200, "height": 900})
    view.goto(path.as_uri())
    view.wait_for_selector(".item")
    functions = [title for title in drawn(view) if title.startswith("@")]
    assert len(functions) == 7 and functions[0] == "@main"
    main, *others = (view.locator(f"{item(view, title)} > .box").bounding_box() for title in functions)
    assert main and main["height"] > 900 and main["x"] > 100  # the legend is at the left
    for box in others:
        assert box and box["x"] >= main["x"] + main["width"] and box["x"] + box["width"] <= 1200
    view.close()


def test_the_map_moves_the_view(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "map.html"
    path.write_text(page(graph(shlo.parse(many(100)))))
    view = browser.new_page(
        viewport={"width": 1200, "height": 900}, bypass_csp=True
    )  # it waits for expressions
    view.goto(path.as_uri())
    place = view.locator("[data-part=map]").bounding_box()
    assert place and "lines" not in " ".join(drawn(view)) and "return" not in drawn(view)
    view.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] - 2)
    view.wait_for_function("[...document.querySelectorAll('.title')].some(e => e.textContent === 'return')")
    view.click("[data-part=fit]")
    view.wait_for_function("!document.querySelector('.map').checkVisibility()")  # everything is in the window
    view.close()


def test_the_search_lists_what_it_finds(opened: Page) -> None:
    opened.focus("[data-part=canvas]")
    opened.keyboard.press("/")
    opened.keyboard.type("return")
    assert opened.locator("[data-part=found]").inner_text() == "4 found"
    found = opened.locator("[data-part=details] .jump")
    assert found.count() == 4
    found.last.click()
    assert opened.locator(".item.selected > text.title").text_content() == "return"
    assert "func.return" in opened.locator("[data-part=details]").inner_text()


@pytest.mark.parametrize(
    "words, found",
    [("/^SQ.T/", "1 found"), ("/^(sqrt|if) /", "2 found"), ("/(/", "invalid pattern"), ("/x", "0 found")],
)
def test_the_search_takes_regular_expressions(opened: Page, words: str, found: str) -> None:
    opened.fill("[data-part=search]", words)
    assert opened.locator("[data-part=found]").inner_text() == found


COVERED = """() => {
  const boxes = [...document.querySelectorAll("g.item[data-id] > rect.box")].map(rect => {
    const [x, y, w, h] = ["x", "y", "width", "height"].map(name => Number(rect.getAttribute(name)));
    return { id: rect.parentNode.dataset.id, left: x + 2, top: y + 2, right: x + w - 2, bottom: y + h - 2 };
  });
  const has = (box, x, y) => x > box.left && x < box.right && y > box.top && y < box.bottom;
  const leaves = boxes.filter(box => !boxes.some(each => each !== box && has(box, each.left, each.top)));
  const edges = [...document.querySelectorAll("path.edge[data-ends]")].map(path => {
    const ends = path.dataset.ends.split(" "), others = leaves.filter(box => !ends.includes(box.id));
    const length = Math.ceil(path.getTotalLength());
    const places = Array.from({ length }, (_, at) => path.getPointAtLength(at));
    return places.some(({ x, y }) => others.some(box => has(box, x, y)));
  });
  return [edges.length, edges.filter(Boolean).length];
}"""


def test_edges_pass_between_boxes(browser: Browser, tmp_path: Path) -> None:
    """Each value is used by the next op and by the last ones, in a loop as well."""
    chain = [f"  %{i + 1} = stablehlo.add %{i}, %0 : tensor<4xf32>" for i in range(12)]
    ends = [f"  %{13 + i} = stablehlo.multiply %{i + 12}, %{i} : tensor<4xf32>" for i in range(8)]
    loop = """  %r:2 = stablehlo.while(%i = %n, %x = %20) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %y = stablehlo.add %x, %0 : tensor<4xf32>
      %z = stablehlo.add %y, %3 : tensor<4xf32>
      %w = stablehlo.multiply %z, %x : tensor<4xf32>
      stablehlo.return %i, %w : tensor<i32>, tensor<4xf32>
    }"""
    lines = "\n".join([*chain, *ends, loop, "  return %r#1 : tensor<4xf32>"])
    text = f"func.func @main(%0: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {{\n{lines}\n}}"
    path = tmp_path / "skips.html"
    path.write_text(page(graph(shlo.parse(text))))
    view = browser.new_page(viewport={"width": 1200, "height": 2400})
    view.goto(path.as_uri())
    count, covered = view.evaluate(COVERED)
    view.close()
    assert count > 40
    assert covered == 0
