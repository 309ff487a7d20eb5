"""The language server in Neovim."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from editor import COMMAND

PROGRAM = """func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="needs Neovim, which CI installs where it can")
def test_neovim_shows_diagnostics_and_hover(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(PROGRAM)
    script = Path(__file__).parent / "neovim.lua"
    command = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "a.mlir", "-c", f"luafile {script}"]
    env = {**os.environ, "SHLO_COMMAND": json.dumps([*COMMAND, "lsp"]), "HOME": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    shown = json.loads(done.stdout)
    (found,) = shown["diagnostics"]
    assert (found["line"], found["severity"]) == (2, 1)
    assert "stablehlo.transpose (C3)" in found["message"]
    assert shown["hover"].startswith("**stablehlo.transpose**")
