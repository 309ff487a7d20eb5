"""Commands with outputs and Python blocks of the README and docs/, executed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    "README.md",
    "docs/adding-an-op.md",
    "docs/backends-disagree.md",
    "docs/building.md",
    "docs/ci.md",
    "docs/custom-calls.md",
    "docs/deploying.md",
    "docs/fast.md",
    "docs/from-jaxlib.md",
    "docs/from-onnx.md",
    "docs/getting-started.md",
    "docs/hash.md",
    "docs/hlo.md",
    "docs/library.md",
    "docs/precision.md",
    "docs/running.md",
    "docs/sharded.md",
    "docs/symbolic-shapes.md",
    "docs/torch.md",
    "docs/trees.md",
    "docs/writing-a-rule.md",
    "docs/weights.md",
    "docs/wrong-number.md",
]
BLOCK = re.compile(
    r"(?:^`([\w./]+)`:\n\n)?^```(console|python|mlir|toml|py|c)\n(.*?)^```", re.MULTILINE | re.DOTALL
)
ELLIPSIS = "..."


def blocks(page: str) -> list[tuple[str, str, str]]:
    """The blocks of a page, in order: a file's path or "", language and text."""
    return BLOCK.findall((ROOT / page).read_text())


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
    python = tools / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
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
    output = re.sub(" +$", "", done.stdout + done.stderr, flags=re.MULTILINE)  # columns of tables
    assert "Traceback" not in output
    expected = re.sub(" +$", "", expected, flags=re.MULTILINE)
    pattern = "".join(
        ".*" if part == ELLIPSIS else re.escape(part) for part in re.split(r"(\.\.\.)", expected)
    )
    assert re.fullmatch(pattern, output, re.DOTALL), f"$ {command}\n{output}"


NEEDS = {"docs/deploying.md": "cc", "docs/torch.md": "cc"}  # programs of the system that a page calls


def parameter(page: str) -> Any:
    """A page as a parameter of a test, with the conditions under which it runs."""
    needed = NEEDS.get(page, "sh")
    marks = [pytest.mark.skipif(shutil.which(needed) is None, reason=f"needs {needed}")]
    return pytest.param(page, marks=marks if page == "README.md" else [*marks, pytest.mark.slow])


@pytest.mark.parametrize("page", [parameter(page) for page in PAGES])
def test_the_blocks_of_a_page_do_what_it_shows(page: str, folder: Path) -> None:
    """A Python block goes on from those before it on its page."""
    code, ran = "", 0
    for path, language, text in blocks(page):
        if path:
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text)
        elif language == "python":
            code += text
            done = run([sys.executable, "-c", code], folder)
            assert done.returncode == 0, f"{text}\n{done.stderr}"
            ran += 1
        elif language == "console":
            for command, expected in steps(text):
                command = command.removeprefix("pip install . && ")  # the package is at hand
                if not command.startswith("pip "):
                    check_command(command, expected, folder)
                    ran += 1
    assert ran


def test_what_ci_calls_is_what_the_readme_says() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "pip install '.[test]' && pytest" in readme
    steps = (ROOT / ".ci" / "run").read_text()
    assert """step "install" pip install -q '.[test]'""" in steps.splitlines()
    assert 'step "tests" pytest ' in steps
