"""`--rtol`, `--atol` and `--ulp` of the commands that compare, which `--tolerance` of some is a name of."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from stablehlo_py.cli.main import cli, run_command

TEXT = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.add %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
"""
OTHER = TEXT.replace("dense<1.0>", "dense<1.01>")  # 0.01 is 83,886 units in the last place of 1


def test_help_says_what_the_tolerance_is_of() -> None:
    for command, of in (("run", " of --check-against"), ("compare", "")):
        options = {option.name: option.help for option in cli.get_command(click.Context(cli), command).params}
        assert options["rtol"].startswith(f"Relative tolerance{of}: atol"), command


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "a.mlir", tmp_path / "b.mlir"]
    for path, text in zip(paths, (TEXT, OTHER), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("", 1),
        ("--rtol 0.02", 0),
        ("--tolerance 0.02", 0),
        ("--rtol 0.005", 1),
        ("--atol 0.02", 0),
        ("--atol 0.005", 1),
        ("--rtol 0.005 --atol 0.006", 0),  # 0.006 + 0.005 * 1.01
        ("--rtol 0.005 --atol 0.004", 1),
        ("--ulp 84000", 0),
        ("--ulp 83000", 1),
    ],
)
def test_compare(files: list[str], given: str, status: int) -> None:
    zeros = ["--input", "dense<0.0> : tensor<2xf32>"]
    assert run_command(["compare", *files, *zeros, *given.split()]) == status


def test_reduce(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The tolerance is a part of the check's name, by which a journal knows its verdicts."""
    given = ["--while-differs", "numpy", "numpy"]
    assert run_command(["reduce", files[0], *given]) == 1
    assert capsys.readouterr().err.endswith("differs: numpy, numpy\n")
    assert run_command(["reduce", files[0], *given, "--rtol", "0", "--atol", "0.5", "--ulp", "3"]) == 1
    assert capsys.readouterr().err.endswith("differs: numpy, numpy, rtol 0, atol 0.5, ulp 3\n")
    assert run_command(["reduce", files[0], *given, "--tolerance", "0.25"]) == 1
    assert capsys.readouterr().err.endswith("differs: numpy, numpy, rtol 0.25\n")


@pytest.mark.parametrize("option", ["--rtol", "--atol", "--ulp"])
def test_checks_of_reduce_that_compare_nothing_take_no_tolerance(
    files: list[str], capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert run_command(["reduce", files[0], "--check", "true {}", option, "1"]) == 2
    assert "--rtol, --atol and --ulp require --while-differs" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--rtol", "--atol", "--ulp"])
@pytest.mark.parametrize("command", ["compare", "reduce", "run"])
def test_a_tolerance_is_not_negative(
    files: list[str], command: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command([command, files[0], option, "-1"]) == 2
    assert f"'{option}'" in capsys.readouterr().err
