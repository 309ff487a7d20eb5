"""`--entry` and tolerances of `shlo graph` and `shlo report`: what is run, and what is equal."""

from __future__ import annotations

from pathlib import Path

import pytest
from stablehlo_py.cli.main import run_command

TEXT = """func.func @first(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.add %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func @second(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<3.0> : tensor<2xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
GIVEN = ("-a", "dense<1.0> : tensor<2xf32>")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "a.mlir", tmp_path / "b.mlir"]
    paths[0].write_text(TEXT)
    paths[1].write_text(TEXT.replace("dense<3.0>", "dense<3.03>"))  # 1 % more in @second alone
    return [str(path) for path in paths]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("--entry first", 0),
        ("--entry second", 1),
        ("--entry third", 1),
        ("--entry second --rtol 0.02", 0),
        ("--entry second --rtol 0.005", 1),
        ("--entry second --atol 0.04", 0),
        ("--entry second --ulp 200000", 0),  # 0.03 * 2^22 = 125,829
        ("--entry second --ulp 100000", 1),
    ],
)
def test_report(files: list[str], tmp_path: Path, given: str, status: int) -> None:
    page = str(tmp_path / "report.html")
    options = ["--against", files[1], *given.split(), "-o", page]
    assert run_command(["report", files[0], *GIVEN, *options]) == status


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("--entry first", ""),
        ("--entry second", "stablehlo.constant differs from"),
        ("--entry second --rtol 0.02", ""),
        ("--entry third", "third"),
    ],
)
def test_graph(files: list[str], given: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--against", files[1], *given.split(), "--format", "json"]
    assert run_command(["graph", files[0], *GIVEN, *options]) == 0
    said = capsys.readouterr().err
    assert message in said and bool(said) == bool(message)


@pytest.mark.parametrize("command", ["graph", "report"])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--entry", "first"], "--entry requires --input or --random"),
        ([*GIVEN, "--rtol", "1"], "--rtol, --atol and --ulp require"),
    ],
)
def test_options_without_a_run(
    files: list[str], command: str, given: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command([command, files[0], *given]) == 2
    assert message in capsys.readouterr().err
