"""`shlo extract` and `shlo reduce`: what they write runs, and their exit status."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from stablehlo_py.cli.main import run_command

TEXT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1 = stablehlo.rsqrt %0 : tensor<4xf32> loc("norm/rsqrt"("model.py":31:5))
  %2 = stablehlo.sine %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "model.mlir"
    path.write_text(TEXT)
    return str(path)


def test_an_extracted_op_runs(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = str(tmp_path / "part.mlir")
    given = ["--input", "dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>"]
    assert run_command(["extract", file, "--location", "model.py:31", *given, "-o", part]) == 0
    assert capsys.readouterr().out == f"{part}, 1 input in {tmp_path}/part.npz\n"
    assert run_command(["verify", part]) == 0
    results = str(tmp_path / "results.npz")
    assert run_command(["run", part, "-a", str(tmp_path / "part.npz"), "-o", results]) == 0
    np.testing.assert_allclose(np.load(results)["out0"], np.exp(-np.arange(4) / 2), rtol=1e-6)


def test_extract_prints_the_program(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["extract", file, "--op", "%1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("func.func public @main(%0: tensor<4xf32>) -> tensor<4xf32>") and "model.py" in out
    assert run_command(["extract", file, "--depends-on", "%1", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["lines"], found["captured"], found["inputs"]) == (
        [2, 3],
        None,
        [{"name": "x", "type": "tensor<4xf32>"}],
    )
    assert run_command(["extract", file]) == 2
    assert run_command(["extract", file, "--op", "%9"]) == 2
    assert run_command(["extract", file, "--line", "3", "--random", "0"]) == 2  # nowhere to write inputs to
    assert run_command(["extract", file, "--line", "3", "--iteration", "x"]) == 2


def test_what_a_result_of_another_function_depends_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "two.mlir"
    body = "(%x: tensor<f32>) -> tensor<f32> {{\n  %r = stablehlo.{} %x : tensor<f32>\n"
    body += "  return %r : tensor<f32>\n}}\n"
    path.write_text(f"func.func @main{body.format('sine')}func.func @other{body.format('cosine')}")
    for options, op in (([], "sine"), (["--entry", "main"], "sine"), (["--entry", "other"], "cosine")):
        assert run_command(["extract", str(path), "--depends-on", "0", *options]) == 0
        assert f"stablehlo.{op} %" in capsys.readouterr().out


def test_reduce(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = tmp_path / "small.mlir"
    assert run_command(["reduce", file, "--check", "grep -q sine {}", "-j", "2", "-o", str(small)]) == 0
    shown = capsys.readouterr()
    assert shown.out == f"{small}\n"
    assert shown.err.startswith("3 ops: interesting\n") and "from 3 to 1 op, " in shown.err
    assert "stablehlo.sine" in small.read_text() and "rsqrt" not in small.read_text()
    assert list(np.load(small.with_suffix(".npz"))) == ["1"]
    assert run_command(["reduce", file, "--check", "grep -q rsqrt {}", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ops"], found["before"], found["inputs"]) == (1, 3, None) and found["steps"]


def test_inputs_that_are_not_given_are_those_of_the_seed_0(file: str, tmp_path: Path) -> None:
    found = []
    for options in ((), ("--random", "0"), ("--random", "1")):
        target = tmp_path / f"{len(found)}.mlir"
        given = ("--check", "grep -q exponential {}", "-o", str(target))
        assert run_command(["reduce", file, *given, *options]) == 0
        found.append([array.tolist() for array in np.load(target.with_suffix(".npz")).values()])
    assert found[0] == found[1] != found[2]


def test_reduce_refuses(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["reduce", file, "--check", "grep -q cosine {}"]) == 1
    assert "not interesting to begin with" in capsys.readouterr().err
    assert run_command(["reduce", file]) == 2
    assert run_command(["reduce", file, "--check", "true"]) == 2
    assert run_command(["reduce", file, "--while-differs", "numpy", "nothing"]) == 2
