"""The files of the editors agree with the package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
VSCODE = ROOT / "editors" / "vscode"


def test_the_textmate_grammar_is_current() -> None:
    command = [sys.executable, "editors/generate.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_extension_has_its_files() -> None:
    package = json.loads((VSCODE / "package.json").read_text())
    contributed = package["contributes"]
    assert (VSCODE / package["main"]).is_file()
    assert (VSCODE / contributed["grammars"][0]["path"]).is_file()
    assert (VSCODE / contributed["languages"][0]["configuration"]).is_file()
    source = (VSCODE / package["main"]).read_text()
    for command in contributed["commands"]:
        assert f'"{command["command"]}"' in source


@pytest.mark.parametrize("name", ["neovim/shlo.lua", "emacs/shlo.el"])
def test_settings_start_the_server(name: str) -> None:
    assert '"shlo"' in (ROOT / "editors" / name).read_text()
