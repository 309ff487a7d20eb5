"""`shlo diff` on modules of HLO, and on folders of dumps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stablehlo_py.cli.main import run_command

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
