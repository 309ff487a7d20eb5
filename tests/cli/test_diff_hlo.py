"""`shlo diff` on modules of HLO, and on folders of dumps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stablehlo_py.cli.main import run_command

import stablehlo_py as shlo

DUMPS = Path(__file__).parents[2] / "testdata" / "dumps" / "classify"
FILES = sorted(str(path) for path in DUMPS.glob("*.txt"))


def test_a_dump_against_the_one_before(capsys: pytest.CaptureFixture[str]) -> None:
    before, after = (next(file for file in FILES if step in file) for step in (".0006.", ".0016."))
    assert run_command(["diff", before, before]) == 0
    assert capsys.readouterr().out == ""
    assert run_command(["diff", before, after]) == 1
    rows = capsys.readouterr().out.splitlines()
    assert any(row.startswith("  -    61  %divide = f32[4]{0} divide(") for row in rows)
    assert any("moved to computation" in row for row in rows)


def test_each_row_has_the_line_of_its_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "func.func @main(%x: tensor<f32>) {{\n{}  %0 = stablehlo.{} %x : tensor<f32>\n  return\n}}\n"
    files = [tmp_path / "a.mlir", tmp_path / "b.mlir"]
    files[0].write_text(text.format("", "sine"))
    files[1].write_text(text.format("  // a comment\n", "cosine"))
    assert run_command(["diff", *map(str, files)]) == 1
    assert [row.split()[:3] for row in capsys.readouterr().out.splitlines()[1:3]] == [
        ["-", "2", "%0"],
        ["+", "3", "%0"],
    ]


def test_hlo_and_stablehlo_are_compared_as_stablehlo(tmp_path: Path) -> None:
    hlo, mlir = tmp_path / "a.hlo", tmp_path / "b.mlir"
    hlo.write_text("HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] sine(x)\n}\n")
    mlir.write_text(shlo.format(shlo.load(hlo)))
    for pair in ((hlo, mlir), (mlir, hlo)):
        assert run_command(["diff", *map(str, pair)]) == 0
    mlir.write_text(mlir.read_text().replace("sine", "cosine"))
    for pair in ((hlo, mlir), (mlir, hlo)):
        assert run_command(["diff", *map(str, pair)]) == 1


def test_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["diff", "--stat", str(DUMPS)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "module_0000.jit_classify: 5 dumps with different texts"
    assert lines[1].split() == [
        "pipeline", "pass", "added", "removed", "changed", "moved", "instructions", "seconds"
    ]  # fmt: skip
    assert len(lines) == 7
    assert run_command(["diff", "--stat", str(DUMPS), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["module"] == "module_0000.jit_classify"
    assert [row["pass_name"] for row in found["passes"]].count("fusion") == 1
    assert set(found["passes"][0]) == {
        "file", "pass_name", "pipeline", "added", "removed", "changed", "moved", "instructions", "seconds"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([FILES[0]], "B is missing: give two programs, or --stat and a folder of dumps"),
        ([FILES[0], FILES[1], "--module", "m"], "--module selects dumps, with --stat"),
        (["--stat", str(DUMPS), FILES[0]], "--stat takes a folder of dumps, and no second program"),
        (["--stat", FILES[0]], "no such folder"),
        (["--stat", str(DUMPS), "--module", "other"], "has no dumps of a module other"),
        (["--stat", str(DUMPS.parent)], "has no file such as module_0000.NAME.before_optimizations.txt"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert run_command(["diff", *arguments]) != 0
    assert message in " ".join(capsys.readouterr().err.split())
