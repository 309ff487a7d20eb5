"""The GitHub Action and the documented GitLab job, executed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "gates"))

from action_steps import run_action  # noqa: E402

DEAD = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = stablehlo.exponential %x : tensor<4xf32>
  return %x : tensor<4xf32>
}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program that has a finding, and `shlo` on PATH."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "dead model.mlir").write_text(DEAD)
    (folder / "other.mlir").write_text(DEAD.replace("%unused", "%idle"))
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "shlo").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stablehlo_py "$@"\n')
    (commands / "shlo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(folder)
    return folder


def test_the_action_annotates_lines(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_action({"command": "lint", "sarif": "lint.sarif"}, only="Run") == 1
    rows = [row for row in capfd.readouterr().out.splitlines() if row.startswith("::")]
    assert rows[0].startswith("::warning file=dead model.mlir,line=2,col=13,")
    assert len(rows) == 2
    assert len(json.loads((project / "lint.sarif").read_text())["runs"][0]["results"]) == 2


def test_the_action_passes_options_and_paths(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given = {"command": "lint", "paths": "other.mlir\n$(touch made)", "args": "--fail-on error"}
    assert run_action(given, only="Run") == 2
    assert not (project / "made").exists()
    assert run_action({**given, "paths": "other.mlir\n"}, only="Run") == 0
    assert run_action({"command": "fmt", "sarif": "fmt.sarif"}, only="Run") == 0
    assert run_action({}, only="Run") == 0


def test_the_gitlab_job(project: Path) -> None:
    text = (ROOT / "docs" / "ci.md").read_text()
    block = re.search(r"## GitLab.*?```yaml\n(.*?)```", text, re.DOTALL)
    assert block is not None
    job = yaml.safe_load(block[1])["programs"]
    statuses = [subprocess.run(["sh", "-c", line], capture_output=True).returncode for line in job["script"]]
    assert statuses == [1, 0]
    reports = job["artifacts"]["reports"]
    issues = json.loads((project / reports["codequality"]).read_text())
    assert [issue["location"]["path"] for issue in issues] == ["dead model.mlir", "other.mlir"]
    assert len(ElementTree.parse(project / reports["junit"]).findall(".//testcase")) == 2
