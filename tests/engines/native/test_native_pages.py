"""The pages on the native engine: commands with outputs, and Python blocks, executed for one processor."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from conftest import ROOT, Shlo

from stablehlo_py.engines.native.linking import links_here
from stablehlo_py.engines.native.machine import Machine, made_for

PAGES = [ROOT / "docs" / "native-engine.md", *sorted((ROOT / "docs" / "native").glob("*.md"))]
FILE = re.compile(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(
    r"^```console\n\$ shlo (.*?)(?: \| grep -E '(.*?)')?\n(.*?)^```", re.MULTILINE | re.DOTALL
)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Which the loops on the pages are for; other processors have tiles of other sizes.
AVX512 = Machine("x86_64-unknown-linux-gnu", "skylake-avx512", "+avx2,+fma,+avx512f,+avx512bw,+avx512vl")


@pytest.mark.skipif(not links_here(), reason="the loops on the pages are for x86-64")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_it_shows(
    page: Path, shlo: Shlo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page.read_text()
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content)
    for arguments, pattern, expected in CONSOLE.findall(text):
        with made_for(AVX512):
            done = shlo(*arguments.split(), cwd=tmp_path)
        lines = [line for line in done.stdout.splitlines(keepends=True) if re.search(pattern, line)]
        assert (done.returncode, "".join(lines)) == (0, expected), f"shlo {arguments}"
    assert text.count("```console") == len(CONSOLE.findall(text))


@pytest.mark.parametrize("page", [page for page in PAGES if PYTHON.search(page.read_text())], ids=str)
def test_the_python_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text()
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content)
    code = "".join(PYTHON.findall(text))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_schedule_has_a_page() -> None:
    commands = [arguments for page in PAGES for arguments, _, _ in CONSOLE.findall(page.read_text())]
    assert {"softmax.mlir", "product.mlir"} <= {arguments.split()[1] for arguments in commands}
