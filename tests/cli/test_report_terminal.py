"""`shlo report` in a terminal: it writes a file and one line; text that it cannot show is refused."""

from __future__ import annotations

from pathlib import Path

from programs import GOOD
from terminal import run_on_terminal


def test_terminal(tmp_path: Path) -> None:
    path, out = tmp_path / "a.mlir", tmp_path / "report.html"
    path.write_text(GOOD)
    shown = run_on_terminal("report", path, "-o", out)
    assert (shown.status, shown.text) == (0, f"{out}: no errors in 1 program\n")
    assert out.read_text().startswith("<!DOCTYPE html>")
    shown = run_on_terminal("report", path)
    assert shown.status == 2 and "use -o OUT or redirect" in " ".join(shown.text.split())
