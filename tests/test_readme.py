"""The README and pages of docs/, run as a reader would: each command with its output, each Python block."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "docs/library.md", "docs/building.md"]
ELLIPSIS = "..."


def blocks(page: str) -> list[tuple[str, str]]:
    """The console and Python blocks of a page, in order."""
    text = (ROOT / page).read_text()
    return re.findall(r"^```(console|python)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def steps(console: str) -> list[tuple[str, str]]:
    """Every command of a block with the output that is shown below it."""
    found: list[tuple[str, str]] = []
    for line in console.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].strip(), ""))
        else:
            command, output = found[-1]
            found[-1] = (command, output + line)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of what a reader has after cloning, with `shlo` on the path."""
    shutil.copytree(
        ROOT / "testdata", tmp_path / "testdata", ignore=shutil.ignore_patterns("constraints", "spec")
    )
    tools = tmp_path / ".bin"
    tools.mkdir()
    script = tools / "shlo"
    script.write_text(f"#!{sys.executable}\nfrom stablehlo_py.cli.main import main\nmain()\n")
    script.chmod(0o755)
    (tools / "python").symlink_to(sys.executable)
    return tmp_path


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{folder / '.bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def check_command(command: str, expected: str, folder: Path) -> None:
    done = run(["bash", "-c", command], folder)
    output = done.stdout + done.stderr
    assert "Traceback" not in output
    pattern = "".join(
        ".*" if part == ELLIPSIS else re.escape(part) for part in re.split(r"(\.\.\.)", expected)
    )
    assert re.fullmatch(pattern, output, re.DOTALL), f"$ {command}\n{output}"


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_do_what_it_shows(page: str, folder: Path) -> None:
    """A Python block goes on from those before it on its page."""
    code = ""
    for language, text in blocks(page):
        if language == "python":
            code += text
            done = run([sys.executable, "-Pc", code], folder)
            assert done.returncode == 0, f"{text}\n{done.stderr}"
            continue
        for command, expected in steps(text):
            if not command.startswith(("pip ", "git ", "cd ")):
                check_command(command, expected, folder)
    assert code


def test_what_ci_calls_is_what_the_readme_says() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "pip install '.[test]' && pytest" in readme
    steps = (ROOT / ".ci" / "run").read_text().splitlines()
    assert """step "install" pip install -q '.[test]'""" in steps
    assert any(step.startswith('step "tests" pytest ') for step in steps)
