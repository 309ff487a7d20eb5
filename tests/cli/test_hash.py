"""`shlo hash`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stablehlo_py.cli.main import run_command

import stablehlo_py as shlo

TESTDATA = Path(__file__).parents[2] / "testdata"
MLP = str(TESTDATA / "mlp.mlir")
TEXT = """\
func.func @main() -> tensor<f32> {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
"""


def test_a_line_for_each_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.mlir"
    file.write_text(f"{TEXT}// -----\n{TEXT.replace('1.0', '2.0')}")
    assert run_command(["hash", MLP, str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    wanted = [shlo.hash(shlo.load(MLP)), shlo.hash(TEXT), shlo.hash(TEXT.replace("1.0", "2.0"))]
    assert lines == [f"{wanted[0]}  {MLP}", f"{wanted[1]}  {file}:1", f"{wanted[2]}  {file}:6"]
    assert run_command(["hash", "--structure", "--format", "json", str(file)]) == 0
    rows = json.loads(capsys.readouterr().out)["modules"]
    assert [row["line"] for row in rows] == [1, 6]
    assert {row["hash"] for row in rows} == {shlo.hash(TEXT, structure=True)}


def test_a_line_names_its_module_where_another_cannot_be_parsed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "two.mlir"
    file.write_text(f"func.func @main( {{\n// -----\n{TEXT}")
    assert run_command(["hash", str(file)]) == 1
    assert capsys.readouterr().out == f"{shlo.hash(TEXT)}  {file}:3\n"


def test_a_program_that_cannot_be_parsed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.mlir"
    file.write_text("func.func @main( {")
    assert run_command(["hash", str(file), MLP]) == 1
    captured = capsys.readouterr()
    assert captured.out.split() == [shlo.hash(shlo.load(MLP)), MLP]
    assert f"{file}:1:" in captured.err
    assert run_command(["hash", str(tmp_path / "none.mlir")]) == 2
