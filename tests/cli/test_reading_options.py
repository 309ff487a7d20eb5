"""`--dim` and `--vjp` of the commands that run a program beside `shlo run`: they choose the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stablehlo_py.cli.main import run_command

GRADIENT = "jexp_mlp_vjp2.jax_export"  # multiplies in its gradients alone
SIZES = ["--dim", "b=2,c=4"]


@pytest.fixture
def dynamic(testdata: Path) -> str:
    return str(testdata / "symbolic.jax_export")  # (b, c) times (c, 3), and softmax; b >= 2


def test_compare_specializes_both_programs(
    dynamic: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["opt", dynamic, *SIZES]) == 0
    static = tmp_path / "static.mlir"
    text = capsys.readouterr().out
    static.write_text(text.replace("stablehlo.subtract", "stablehlo.add"))
    assert run_command(["compare", dynamic, dynamic, *SIZES, "--random", "0"]) == 0
    assert run_command(["compare", dynamic, str(static), *SIZES, "--random", "0"]) == 1
    assert "add" in capsys.readouterr().out
    assert run_command(["compare", dynamic, str(static), "--dim", "d=2", "--random", "0"]) == 2


def test_the_others_specialize(dynamic: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = str(tmp_path / "part.mlir")
    product = ["--function", "_wrapped_jax_export_main", *SIZES, "-o", part, "--format", "json"]
    assert run_command(["extract", dynamic, *product]) == 0
    inputs = json.loads(capsys.readouterr().out)["inputs"]
    assert [each["type"] for each in inputs] == ["tensor<2x4xf32>", "tensor<4x3xf32>"]
    assert run_command(["reduce", dynamic, "--check", "grep -q tensor<2x4xf32> {}", *SIZES]) == 0
    assert "tensor<2x4xf32>" in capsys.readouterr().out
    for command in (["precision", dynamic], ["run", dynamic, "--ranges"]):
        assert run_command([*command, "--random", "0", "--format", "json"]) == 1, command
        assert run_command([*command, "--random", "0", "--format", "json", *SIZES]) == 0, command


@pytest.mark.parametrize(
    "command", [["extract"], ["precision", "--random", "0"], ["reduce", "--check", "grep -q multiply {}"]]
)
def test_a_constraint_is_an_error_of_the_program(
    dynamic: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--depends-on", "0"] if command == ["extract"] else []
    assert run_command([command[0], dynamic, *command[1:], *given, "--dim", "b=1,c=4"]) == 1
    assert "Input shapes do not match the symbolic shape" in capsys.readouterr().err


def test_gradients(artifacts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(artifacts / GRADIENT)
    multiplies = {
        "extract": ["--depends-on", "0", "--format", "json"],
        "reduce": ["--check", "grep -q stablehlo.multiply {}", "--format", "json"],
    }
    assert run_command(["reduce", file, *multiplies["reduce"]]) == 1
    capsys.readouterr()
    for command, given in multiplies.items():
        assert run_command([command, file, *given, "--vjp", "1"]) == 0
        assert "stablehlo.multiply" in json.loads(capsys.readouterr().out)["program"]
    multiplied, compared = [], []
    for gradient in ("0", "1"):
        given = ["--vjp", gradient, "--random", "0", "--format", "json"]
        assert run_command(["compare", file, file, *given]) == 0
        compared.append(json.loads(capsys.readouterr().out)["ops"])
        assert run_command(["run", file, "--ranges", *given]) == 0
        values = json.loads(capsys.readouterr().out)["values"]
        multiplied.append("stablehlo.multiply" in {each["op"] for each in values})
    assert multiplied == [False, True]
    assert compared[0] < compared[1]
