"""`shlo report`: the page as text; a browser opens it in test_programs_report_page.py."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

GOOD = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
DEAD = GOOD.replace("  return", "  %unused = stablehlo.tanh %x : tensor<2xf32>\n  return")
WRONG = """func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""
HOSTILE = '<img src=x onerror="alert(1)"></script><script>alert(2)</script>'


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text; elements must be nested."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def shown(page: str, section: str) -> Any:
    """The data from which a page makes the text of a program."""
    return json.loads(
        page.partition(f'<script type="application/json" id="{section}-text">')[2].partition("</")[0]
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "exports"
    place.mkdir()
    (place / "good.mlir").write_text(GOOD)
    (place / "dead.mlir").write_text(f"{GOOD}// -----\n{DEAD}")
    (place / "wrong.mlir").write_text(WRONG)
    (place / "broken.mlir").write_text("func.func @f() { return %x : tensor<f32> }")
    (place / "damaged.mlir").write_bytes(b"ML\xefR\x06\x00" + bytes(20))
    return place


def test_every_program_has_a_row_and_a_section(shlo: Shlo, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    done = shlo("report", folder, "-o", out)
    assert (done.returncode, done.stderr) == (1, "")
    assert re.fullmatch(r".*report.html: \d+ errors and 1 warning in 6 programs\n", done.stdout)
    page = Elements(out.read_text())
    links = [each["href"] for each in page.named("a") if "data-codes" in each]
    sections = [each["id"] for each in page.named("section") if each.get("class") == "program"]
    assert links == [f"#{name}" for name in sections] and len(set(links)) == 6
    statuses = [each["data-status"] for each in page.named("a") if "data-codes" in each]
    assert statuses == [
        "error",
        "error",
        "ok",
        "warning",
        "ok",
        "error",
    ]  # broken, damaged, dead, good, wrong
    second, wrong = (shown(out.read_text(), sections[at]) for at in (3, 5))
    assert (second["text"], second["first"]) == (DEAD, 6)  # the lines of a file are counted
    assert (wrong["text"], wrong["first"]) == (WRONG, 1)


def test_findings_are_at_their_lines_with_explanations(shlo: Shlo, folder: Path) -> None:
    page = shlo("report", folder / "wrong.mlir").stdout
    after = page.partition('<div data-line="2">')[2].partition("<script")[0]
    assert 'class="finding error"' in after and 'data-rule="transpose.C2"' in after
    assert 'id="rule-transpose.C2"' in page
    assert "sorted(permutation) = range(rank(operand))" in page
    marks = shown(page, re.findall('<section class="program" id="([^"]+)"', page)[0])["marks"]
    assert [first for first, _, severity in marks["2"] if severity == "error"]


def test_text_from_files_stays_text(shlo: Shlo, tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    attribute = 'mhlo.note = "' + HOSTILE.replace('"', "'") + '"'
    path.write_text(
        f"// {HOSTILE}\nmodule attributes {{{attribute}}} {{\n{GOOD}}}\n// \u202e\x01 {HOSTILE}\n"
        '// -----\nfunc.func @"</script><b>"() { return %x : tensor<f32> }\n'
    )
    out = tmp_path / "out.html"
    shlo("report", path, "-o", out, "--title", HOSTILE)
    text = out.read_text()
    page = Elements(text)
    assert not page.named("img")
    assert [each.get("type") for each in page.named("script")].count(None) == 1
    assert HOSTILE in page.text
    assert "\u202e" not in text and "\x01" not in text
    section = next(each["id"] for each in page.named("section") if each.get("class") == "program")
    assert shown(text, section or "")["escapes"] == {"\u202e": "\\u202e", "\x01": "\\x01"}
    assert not [name for _, each in page.found for name in each if name.startswith("on")]
    (policy,) = [each["content"] for each in page.named("meta") if "http-equiv" in each]
    assert policy and policy.startswith("default-src 'none'") and "script-src 'sha256-" in policy
    assert not re.search(r'(src|href)="(?!#|https://github.com/)', re.sub(r"<script>.*?</script>", "", text))


def test_size_is_bounded_by_the_input(shlo: Shlo, tmp_path: Path) -> None:
    empty = len(shlo("report", "-", stdin=GOOD).stdout)
    values = ", ".join(["1.0"] * 40_000)
    program = GOOD.replace("  %0", f"  %c = stablehlo.constant dense<[{values}]> : tensor<40000xf32>\n  %0")
    assert len(shlo("report", "-", stdin=program).stdout) < empty + 30_000  # long constants are cut
    lines = "".join(f"  %v{i} = stablehlo.add %x, %x : tensor<2xf32>\n" for i in range(300))
    program = GOOD.replace("  %0", f"{lines}  %0")
    grown = len(shlo("report", "-", "--config", _quiet(tmp_path), stdin=program).stdout) - empty
    assert grown < 30 * len(lines)


def _quiet(folder: Path) -> Path:
    path = folder / "pyproject.toml"
    path.write_text('[tool.shlo.lint]\nignore = ["all"]\n')
    return path


def test_options_of_files(shlo: Shlo, folder: Path) -> None:
    done = shlo("report", folder, "--exclude", "[bdw]*", "-j", "2")
    assert (done.returncode, done.stdout.count('<section class="program"')) == (0, 1)
    done = shlo("report", folder / "dead.mlir")
    assert done.returncode == 0  # a warning
    assert shlo("report", folder / "dead.mlir", "--fail-on", "warning").returncode == 1
    assert shlo("report", folder / "none.mlir").returncode == 2
    done = shlo("report", folder / "good.mlir", "-o", folder / "good.mlir")
    assert (done.returncode, (folder / "good.mlir").read_text()) == (2, GOOD)


@pytest.mark.parametrize("setting", ["allow-unregistered", "allow-newer"])
def test_what_the_project_allows(shlo: Shlo, tmp_path: Path, setting: str) -> None:
    name = "other.op" if setting == "allow-unregistered" else "stablehlo.of_tomorrow"
    program = GOOD.replace("  return", f'  "{name}"() : () -> ()\n  return')
    settings = tmp_path / "settings.toml"
    for value, status in (("true", 0), ("false", 1)):
        settings.write_text(f"[tool.shlo.verify]\n{setting} = {value}\n")
        assert shlo("report", "--config", settings, "-", stdin=program).returncode == status


def test_runs_checks_and_comparisons(shlo: Shlo, tmp_path: Path) -> None:
    for name, program in (("a", GOOD), ("b", GOOD), ("c", GOOD)):
        (tmp_path / f"{name}.mlir").write_text(program)
    x = np.float32([1, 2])
    np.savez(tmp_path / "a.npz", in0=x, out0=x + x)
    np.savez(tmp_path / "b.npz", in0=x, out0=x)
    data = tmp_path / "{name}.npz"
    done = shlo("report", tmp_path, "--no-ignore", "-a", data, "--check-against", data)
    assert done.returncode == 1  # b differs; c has no file, and is not run
    a, b, c = done.stdout.split('<section class="program"')[1:]
    assert [part.count('role="tab"') for part in (a, b, c)] == [5, 5, 3]
    assert "Roofline of the ops" in a and 'class="finding error"' not in a
    assert "result 0: 2 elements out of tolerance of" in b and 'data-rule="check"' in b
    probes = tmp_path / "probes"
    probes.mkdir()
    np.save(probes / "0.npy", x)
    done = shlo("report", tmp_path / "a.mlir", "-a", tmp_path / "a.npz", "--against", probes)
    after = done.stdout.partition('-L2">')[2].partition('-L3">')[0]
    assert done.returncode == 1 and "stablehlo.add differs from" in after
    assert "First wrong op: stablehlo.add" in done.stdout and 'aria-label="Error map of %0"' in done.stdout


def test_a_comparison_of_nothing_is_a_finding(shlo: Shlo, tmp_path: Path) -> None:
    """The file has the value of a constant, which is stated and not computed."""
    constant = "  %c = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
    (tmp_path / "a.mlir").write_text(GOOD.replace("{\n", "{\n" + constant, 1))
    np.savez(tmp_path / "in.npz", in0=np.float32([1, 2]))
    np.savez(tmp_path / "c.npz", c=np.float32([1, 1]))
    given = ["-a", tmp_path / "in.npz", "--against", tmp_path / "c.npz"]
    done = shlo("report", tmp_path / "a.mlir", *given)
    assert done.returncode == 1 and "nothing was compared with" in done.stdout


def test_failed_runs_are_findings(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(GOOD)
    np.save(tmp_path / "x.npy", np.zeros(3, np.float32))
    done = shlo("report", tmp_path / "a.mlir", "-a", tmp_path / "x.npy")
    assert done.returncode == 1 and 'data-rule="run"' in done.stdout
    for arguments, why in (
        (["--check-against", "x.npy"], "require --input or --random"),
        (["-a", "none.npy"], "none.npy: no such file or folder"),
        (["--random", "0", "--against", "none"], "none: no such file or folder"),
    ):
        done = shlo("report", tmp_path / "a.mlir", *arguments, cwd=tmp_path)
        assert (done.returncode, why in done.stderr) == (2, True)


SHARDED = """sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(
  %x: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
  %w: tensor<64x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}
) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<8x64xf32>, tensor<64x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
"""


def test_devices_of_a_mesh(shlo: Shlo) -> None:
    page = shlo("report", "-", stdin=SHARDED).stdout
    grids = [part.partition("</svg>")[0] for part in page.split('aria-label="Shards of ')[1:]]
    shards = {grid.partition(",")[0]: re.findall(r"<title>devices ([^<]*)</title>", grid) for grid in grids}
    assert shards["%w"] == ["0, 4", "1, 5", "2, 6", "3, 7"]  # along model; both of data hold the same
    assert shards["%x"] == list("01234567")
    assert "all_reduce" in page and 'role="tab"' in page
    graph = json.loads(shlo("graph", "-", "--format", "json", stdin=SHARDED).stdout)
    sent = {item["title"]: item["sent"] for item in graph["functions"][1]["items"] if item["kind"] == "op"}
    assert sent["dot_general"] > 0 and sent["return"] is None


SCHEDULED = """HloModule m, is_scheduled=true, entry_computation_layout={(f32[100]{0})->f32[100]{0}}

ENTRY main {
  p = f32[100]{0} parameter(0)
  a = f32[100]{0} add(p, p)
  ROOT b = f32[100]{0} multiply(a, p)
}
"""


def test_memory_over_a_schedule(shlo: Shlo, tmp_path: Path) -> None:
    (tmp_path / "m.hlo").write_text(SCHEDULED)
    page = shlo("report", tmp_path / "m.hlo").stdout
    assert 'aria-label="Live memory over the schedule"' in page
    rows = page.partition("Buffers that are live at the peak")[2].partition("</table>")[0]
    assert "<code>%p</code>" in rows and "400 B" in rows
    assert "Live memory over the schedule" not in shlo("report", "-", stdin=GOOD).stdout


def test_the_report_of_the_library() -> None:
    """It has each program, also one that cannot be parsed, and the profiles of runs."""
    found = shlo.report(DEAD, WRONG, "nonsense", inputs=[np.ones(2, np.float32)], title="Mine")
    codes = [each.code for each in found.diagnostics]
    assert codes == ["lint.dead-op", "transpose.C2", "transpose.C3", "parse"]
    page = Elements(found.html)
    assert "Mine3 programs, 3 errors, 1 warning" in page.text
    assert all(f"{number}. <string>" in page.text for number in (1, 2, 3))
    assert page.text.count("Profile") == 1 and "Ops by name" in page.text
    assert "<iframe" in found._repr_html_() and len(repr(found)) < 2000


def test_a_run_that_fails_is_a_finding_of_the_report_of_the_library() -> None:
    found = shlo.report(GOOD, inputs=[np.ones(3, np.float32)])
    assert [(each.severity, each.code) for each in found.diagnostics] == [("error", "run")]
