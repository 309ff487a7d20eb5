"""`shlo blame` on a program, which XLA compiles and dumps in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from stablehlo_py.cli.main import run_command

from stablehlo_py.debug.blame.make_dumps import make_dumps
from stablehlo_py.diagnostics.diagnostic import RunError

pytest.importorskip("jax", reason="needs the extra pjrt")
PROGRAM = Path(__file__).parents[3] / "testdata" / "mlp.mlir"


def test_xla_dumps_the_program_and_no_pass_is_accused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "dumps"
    arguments = ["blame", str(PROGRAM), "--engine", "pjrt", "--random", "0", "--dump-to", str(folder)]
    assert run_command(arguments) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].startswith("module_") and rows[-1] == "no result differs"
    assert list(folder.glob("*.before_optimizations.txt"))
    assert run_command(arguments) == 2
    assert "expected an empty folder" in capsys.readouterr().err


def test_what_xla_says_is_shown_if_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--no_such_flag")
    with pytest.raises(RunError, match=r"XLA wrote no dumps .*no_such_flag"):
        make_dumps(PROGRAM, tmp_path, ["--random", "0"])


def test_a_folder_is_not_run_by_xla(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["blame", str(tmp_path), "--engine", "pjrt", "--random", "0"]) == 2
    assert "dumps are run by another engine" in capsys.readouterr().err
