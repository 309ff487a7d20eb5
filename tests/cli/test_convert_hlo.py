"""`shlo convert --to hlo`: from a program to HLO text and back, with the same results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stablehlo_py.cli.main import run_command

import stablehlo_py as shlo

MLP = Path(__file__).parents[2] / "testdata" / "mlp.mlir"


def test_a_program_and_its_hlo_have_the_same_results(tmp_path: Path) -> None:
    target = tmp_path / "model.hlo"
    assert run_command(["convert", str(MLP), "-o", str(target)]) == 0
    assert target.read_text().startswith("HloModule ")
    program, back = shlo.load(MLP), shlo.load(target)
    rng = np.random.default_rng(0)
    types = [each.type for each in shlo.compile(program, engine="numpy").signature.inputs]
    inputs = [rng.standard_normal(type.shape).astype(np.float32) for type in types]
    for mine, theirs in zip(shlo.run(back, inputs), shlo.run(program, inputs), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)


def test_the_entry_is_main_wherever_it_is(tmp_path: Path) -> None:
    path, target = tmp_path / "model.mlir", tmp_path / "model.hlo"
    helper = "func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"
    main = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.negate %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
    for text in (helper + main, main + helper):
        path.write_text(text)
        assert run_command(["convert", str(path), "-o", str(target)]) == 0
        assert shlo.run(shlo.load(target), [np.array([1, 2], np.float32)])[0].tolist() == [-1, -2]


def test_chlo_is_lowered_where_an_op_has_no_opcode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(
        """func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>
  %1 = chlo.square %x : tensor<2xf32> -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}"""
    )
    assert run_command(["convert", str(path), "--to", "hlo"]) == 0
    assert " multiply(" in capsys.readouterr().out
    assert run_command(["convert", str(path), "--to", "hlo", "--no-lower-chlo"]) == 1
    assert "chlo.square: HLO has no such op" in capsys.readouterr().err
    path.write_text(path.read_text().replace("chlo.square", "chlo.tan"))
    assert run_command(["convert", str(path), "--to", "hlo"]) == 0


def test_an_op_without_a_form_is_an_error_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, target = tmp_path / "model.mlir", tmp_path / "model.hlo"
    path.write_text("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}")
    assert run_command(["convert", str(path), "-o", str(target)]) == 1
    assert "the size of tensor<?xf32> is not known" in capsys.readouterr().err
    assert not target.exists()
