"""The README's console blocks, run as a reader would: each command, its output and its exit status."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
ELLIPSIS = "..."


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def steps() -> list[tuple[str, str]]:
    """Every command with the output that the README shows below it."""
    found: list[tuple[str, str]] = []
    for line in "".join(blocks("console")).splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].strip(), ""))
        else:
            command, output = found[-1]
            found[-1] = (command, output + line)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a reader has after cloning, with `shlo` on the path."""
    place = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "testdata", place / "testdata")
    tools = place / ".bin"
    tools.mkdir()
    script = tools / "shlo"
    script.write_text(f"#!{sys.executable}\nfrom stablehlo_py.cli.main import main\nmain()\n")
    script.chmod(0o755)
    (tools / "python").symlink_to(sys.executable)
    return place


def test_commands_print_what_the_readme_shows(folder: Path) -> None:
    ran = 0
    for command, expected in steps():
        if command.startswith(("pip ", "git ", "cd ")):
            continue
        path = f"{folder / '.bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env={**os.environ, "PATH": path, "COLUMNS": "100"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        output = done.stdout + done.stderr
        assert "Traceback" not in output
        pattern = "".join(
            ".*" if part == ELLIPSIS else re.escape(part) for part in re.split(r"(\.\.\.)", expected)
        )
        assert re.fullmatch(pattern, output, re.DOTALL), f"$ {command}\n{output}"
        ran += 1
    assert ran >= 4


def test_python_block_runs(folder: Path) -> None:
    (code,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-Pc", code], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_what_ci_calls_is_what_the_readme_says() -> None:
    assert "pip install '.[test]' && pytest" in README
    steps = (ROOT / ".ci" / "run").read_text().splitlines()
    assert """step "install" pip install -q '.[test]'""" in steps
    assert 'step "tests" pytest' in steps
