"""Pages with plots: memory over time, profiles, comparisons with error maps."""

from __future__ import annotations

import base64
import json
import math
import re
import struct
import subprocess
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.analysis import memory
from stablehlo_py.analysis.memory import Memory
from stablehlo_py.debug.error_map import ErrorMap, error_map
from stablehlo_py.reports.graph import graph
from stablehlo_py.reports.plots.bars import histogram
from stablehlo_py.reports.plots.heat_map import heat_map
from stablehlo_py.reports.plots.pixel_map import pixel_map
from stablehlo_py.reports.plots.svg import Scale
from stablehlo_py.reports.plots.timeline import timeline
from stablehlo_py.reports.shadow_html import shadow_page
from stablehlo_py.rounding.rows import Shadow, ShadowRow

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.add %x, %x : tensor<4xf32>
  %b = stablehlo.concatenate %a, %a, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %c = func.call @half(%b) : (tensor<8xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
func.func private @half(%x: tensor<8xf32>) -> tensor<4xf32> {
  %t = stablehlo.tanh %x : tensor<8xf32>
  %s = stablehlo.slice %t [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
"""


def elements(svg: str, style: str) -> int:
    return len([each for each in ElementTree.fromstring(svg).iter() if each.get("class") == style])


def test_memory_over_time() -> None:
    module = Memory(shlo.parse(PROGRAM))
    found = module.timeline("main")
    # x 16 B, then a 16, b 32 with a, in the callee t 32 and s 16 with b, then c 16.
    steps = [(step.op.name.partition(".")[2], step.line, step.size) for step in found.steps]
    assert steps == [
        *(("add", 2, 32), ("concatenate", 3, 64), ("tanh", 8, 80), ("slice", 9, 96), ("return", 10, 64)),
        *(("call", 4, 64), ("return", 5, 32)),
    ]
    assert found.peak is not None and found.peak.size == module.peak("main") == 96
    live = [(str(each.value), each.line, each.size) for each in found.live]
    assert live == [("%b", 3, 32), ("%x", 0, 16), ("%c", 4, 16)]


def test_recursion_and_declarations_have_no_endless_timeline(monkeypatch: pytest.MonkeyPatch) -> None:
    call = "func.call @f(%x) : (tensor<f32>) -> tensor<f32>"
    text = f"func.func @f(%x: tensor<f32>) -> tensor<f32> {{ %0 = {call} return %0 : tensor<f32> }}"
    assert len(Memory(shlo.parse(text)).timeline("f").steps) == 2
    chain = "\n".join(
        f"func.func private @f{i}(%x: tensor<f32>) -> tensor<f32> {{"
        + f" %a = func.call @f{i + 1}(%x) : (tensor<f32>) -> tensor<f32>"
        + f" %b = func.call @f{i + 1}(%a) : (tensor<f32>) -> tensor<f32> return %b : tensor<f32> }}"
        for i in range(40)
    )
    last = "func.func private @f40(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    monkeypatch.setattr(memory, "_MAX_STEPS", 1000)
    assert len(Memory(shlo.parse(f"{chain}\n{last}")).timeline("f0").steps) == 1000


@pytest.mark.slow
def test_long_chains_of_calls() -> None:
    chain = [
        f"func.func private @f{i}(%x: tensor<f32>) -> tensor<f32> {{ "
        f"%a = func.call @f{i + 1}(%x) : (tensor<f32>) -> tensor<f32> return %a : tensor<f32> }}"
        for i in range(1100)
    ]
    last = "func.func @f1100(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"
    module = shlo.parse("\n".join([*chain, last]))
    assert len(Memory(module).timeline("f0").steps) == 100  # a call and a return of each function
    assert graph(module, costs=True).functions[0].items[1].operations == 0


def test_inspect_memory(shlo: Shlo, tmp_path: Path) -> None:
    for name in ("out.svg", "out.html"):
        assert shlo("inspect", "-", "--memory", tmp_path / name, stdin=PROGRAM).returncode == 0
    assert elements((tmp_path / "out.svg").read_text(), "curve") == 1
    root = ElementTree.parse(tmp_path / "out.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("role") == "img"
    page = (tmp_path / "out.html").read_text()
    assert "The peak is 96 B at line 9" in page and "<code>%b</code>" in page
    done = shlo("inspect", "-", "--memory", tmp_path / "out.png", stdin=PROGRAM)
    assert done.returncode == 2 and "ends in .svg or .html" in done.stderr
    two = tmp_path / "two.mlir"
    two.write_text(f"{PROGRAM}// -----\n{PROGRAM}")
    done = shlo("inspect", two, "--memory", tmp_path / "out.svg")
    assert done.returncode == 2 and "draws one valid program, and there are 2" in done.stderr
    assert shlo("inspect", two, "--memory", two).returncode == 2


def test_scales() -> None:
    assert Scale(0, 100, 0, 500).ticks() == [0, 20, 40, 60, 80, 100]
    assert Scale(0, 3000, 0, 1, base=1024).ticks() == [0, 1024, 2048]
    assert Scale(0.05, 2000, 0, 1, is_log=True).ticks() == [0.1, 1, 10, 100, 1000]
    assert Scale(1, 100, 0, 200, is_log=True)(10) == 100
    assert Scale(5, 5, 0, 10)(5) == 5


def test_plots_are_well_formed_and_bounded() -> None:
    assert len(timeline(range(1_000_000), "a < b")) < 30_000
    assert elements(timeline([], "nothing"), "curve") == 1
    bins = {"0": 1, "1": 2} | {f"{2**i + 1}-{2 ** (i + 1)}": i for i in range(40)} | {"not finite": 3}
    plot = histogram(bins, "errors", "ULP")
    assert (elements(plot, "bar"), elements(plot, "lost")) == (11, 1)
    cells = ((0.0, 1.0, None), (1e-3, 0.0, 10.0))
    plot = heat_map(cells, (2, 3), "errors")
    assert [elements(plot, style) for style in ("empty", "heat", "lost")] == [2, 3, 1]
    assert [float(each) for each in re.findall(r'fill-opacity="([^"]*)"', plot)] == [0.79, 0.15, 1.0]


def test_error_map() -> None:
    expected = np.zeros((2, 2, 3), np.float32)
    actual = expected.copy()
    actual[0, 1, 2], actual[1, 1, 0], actual[0, 0, 0] = 0.5, -2, np.nan
    assert error_map(actual, expected) == ErrorMap(
        (4, 3), ((None, 0.0, 0.0), (0.0, 0.0, 0.5), (0.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    )
    large = np.zeros((100, 96))
    large[99, 95] = 3
    found = error_map(large, np.zeros((100, 96)))
    assert found is not None and (len(found.cells), len(found.cells[0])) == (48, 48)
    assert [(i, j) for i, row in enumerate(found.cells) for j, each in enumerate(row) if each] == [(47, 47)]
    shapes = [(4, 16), (2, 16, 1), (7,), (3, 4, 5, 6), (1, 1)]
    maps = [error_map(np.ones(shape), np.zeros(shape)) for shape in shapes]
    assert [each and each.shape for each in maps] == [(4, 16), (2, 16), (1, 7), (12, 30), (1, 1)]
    assert error_map(np.float32(1), np.float32(1)) == ErrorMap((1, 1), ((0.0,),))
    assert error_map(np.zeros(0), np.zeros(0)) is error_map(np.zeros(2), np.zeros(3)) is None


def test_profile_page(shlo: Shlo, tmp_path: Path) -> None:
    out = tmp_path / "profile.html"
    done = shlo("run", "-", "--random", 0, "--engine", "numpy", "--profile-output", out, stdin=PROGRAM)
    assert done.returncode == 0
    page = out.read_text()
    assert 'aria-label="Roofline of the ops"' in page and page.count('class="dot"') == 2  # add and tanh
    assert page.count("<tr>") == 1 + 4  # the title, and add, concatenate, tanh, slice
    assert 'aria-label="Timeline of the last run"' in page and "first run</dt>" not in page
    shlo(
        "run", "-", "--random", 0, "--engine", "numpy", "--profile-output", out, "--repeat", 3, stdin=PROGRAM
    )
    assert "time in ops, median of 3 runs after the first" in out.read_text()


def test_comparison_page(shlo: Shlo, tmp_path: Path) -> None:
    first, second, out = tmp_path / "a.mlir", tmp_path / "<b>.mlir", tmp_path / "c.html"
    first.write_text(PROGRAM)
    second.write_text(PROGRAM.replace("tanh", "sine"))
    done = shlo("compare", first, second, "--random", 0, "-o", out)
    assert done.returncode == 1 and done.stdout.startswith("first wrong op: stablehlo.tanh")
    page = out.read_text()
    assert "First wrong op: stablehlo.tanh" in page and "&lt;b&gt;.mlir" in page
    assert 'aria-label="Error map of %t"' in page
    done = shlo("compare", first, second, "--random", 0, "--format", "json")
    assert json.loads(done.stdout)["first"]["results"][0]["map"]["shape"] == [1, 8]
    assert "out of tolerance" in shlo("compare", first, second, "--random", 0, "--format", "html").stdout
    assert shlo("compare", first, first, "--random", 0, "-o", first).returncode == 2


def test_shadow_page(shlo: Shlo, tmp_path: Path) -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32> loc("jit(f)/<b>/exp")
  %1 = stablehlo.negate %0 : tensor<4xf32> loc("jit(f)/<b>/neg")
  return %1 : tensor<4xf32>
}
"""
    out = tmp_path / "shadow.html"
    done = shlo("run", "-", "--random", 0, "--shadow", "f64", "--html", out, stdin=text)
    assert done.returncode == 0
    page = out.read_text()
    assert 'aria-label="Error along the program"' in page and page.count('class="dot"') == 2
    assert "<title>line 2: stablehlo.exponential %0: error " in page  # a negation introduces none
    assert "&lt;b&gt;" in page and "<b>/" not in page
    done = shlo("run", "-", "--random", 0, "--html", out, stdin=text)
    assert (done.returncode, "--html requires --shadow" in done.stderr) == (2, True)


def pixels(image: str) -> list[list[int]]:
    """The bytes of the pixels of an image in a page, row by row."""
    content = base64.b64decode(image.partition("base64,")[2].partition('"')[0])
    assert content[:8] == b"\x89PNG\r\n\x1a\n" and content[12:16] == b"IHDR"
    width, height = struct.unpack(">II", content[16:24])
    at = content.index(b"IDAT")
    (size,) = struct.unpack(">I", content[at - 4 : at])
    rows = zlib.decompress(content[at + 4 : at + 4 + size])
    return [list(rows[n * (width + 1) + 1 : (n + 1) * (width + 1)]) for n in range(height)]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (((0.0, 1e-4), (1e-2, None)), [[0, 1], [15, 16]]),
        (((1e-6, 1e-4, 1e-2),), [[1, 8, 15]]),
        (((2.0,), (2.0,)), [[15], [15]]),
        (((5e-324, 1.7e308),), [[1, 15]]),
    ],
)
def test_pixels_are_levels_of_errors(
    cells: tuple[tuple[float | None, ...], ...], expected: list[list[int]]
) -> None:
    """Errors have levels 1 to 15 in proportion to their logarithm; 0 is none, and 16 what is not finite."""
    assert pixels(pixel_map(cells, "<x>")) == expected
    assert 'alt="&lt;x&gt;"' in pixel_map(cells, "<x>")


def test_shadow_page_has_a_map_of_each_value(shlo: Shlo, tmp_path: Path) -> None:
    """One element of 1 + 2^-24 rounds in f32, the others are whole numbers."""
    text = """func.func @main() -> tensor<2x3xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %1 = stablehlo.constant dense<[[1.0, 1.0, 1.0], [5.9604645e-08, 1.0, 1.0]]> : tensor<2x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
"""
    out = tmp_path / "shadow.html"
    assert shlo("run", "-", "--shadow", "f64", "--html", out, stdin=text).returncode == 0
    (image,) = re.findall("<img [^>]*>", out.read_text())
    assert pixels(image) == [[0, 0, 0], [15, 0, 0]]
    assert "errors of %2 as 2 rows and 3 columns, to 5.96e-08" in image


@pytest.mark.parametrize("errors", [[1.7e308], [1e308, 5e-324], [5e-324], [1.0], [1e-3, 1e-3]])
@pytest.mark.parametrize("part", [0.5, 1e308, math.inf, math.nan, -1.0])
def test_shadow_page_of_numbers_at_the_ends_of_the_range(errors: list[float], part: float) -> None:
    """Every dot and bar is within its plot."""
    (op,) = shlo.parse("%0 = stablehlo.constant dense<0.0> : tensor<bf16>").body.ops
    rows = [
        ShadowRow(op, op.name, "%0", "bf16", line, "", "f", error=error, contribution=part)
        for line, error in enumerate(errors, 1)
    ]
    drawn = shadow_page(Shadow("f64", rows, {"f": part}, [1.0]), "a")
    plots = [
        ElementTree.fromstring(plot) for plot in re.findall("<svg class=.plot.*?</svg>", drawn, re.DOTALL)
    ]
    assert sum(each.get("class") == "dot" for plot in plots for each in plot.iter()) == len(errors)
    for plot in plots:
        width, height = float(plot.get("width", 0)), float(plot.get("height", 0))
        for each in plot.iter():
            for name in ("x", "cx", "x1", "x2", "r", "width"):
                assert 0 <= float(each.get(name, 0)) <= width
            for name in ("y", "cy", "y1", "y2", "height"):
                assert 0 <= float(each.get(name, 0)) <= height
