"""`--dim`: sizes of symbols on the command line, in a pipe and on a terminal."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from terminal import run_on_terminal

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def exported(testdata: Path) -> Path:
    return testdata / "symbolic.jax_export"


def test_inspect_and_run(shlo: Shlo, exported: Path) -> None:
    done = shlo("inspect", exported, "--dim", "b=2", "--dim", "c=8", "--format", "json")
    (module,) = json.loads(done.stdout)["modules"]
    assert [each["type"] for each in module["functions"][0]["inputs"]] == [
        "tensor<2x8xf32>",
        "tensor<8x3xf32>",
    ]
    done = shlo("run", exported, "--dim", "b=2, c=8", "--random", "0", "--format", "json")
    (result,) = json.loads(done.stdout)["results"]
    assert result["type"] == "tensor<2x3xf32>"


def test_constraints_are_errors_of_the_program(shlo: Shlo, exported: Path) -> None:
    for command in (["run", "--random", "0"], ["inspect"]):
        done = shlo(command[0], exported, *command[1:], "--dim", "b=1", "--dim", "c=8")
        assert done.returncode == 1
        assert f"{exported}:22:5: error: Input shapes do not match the symbolic shape" in done.stderr
    done = shlo("run", exported, "--dim", "b=1,c=8", "--random", "0", "--format", "json")
    (found,) = json.loads(done.stdout)["diagnostics"]
    assert found["line"] == 22


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("b", "b: expected NAME=SIZE, such as b=4"),
        ("b=x", "b=x: expected NAME=SIZE"),
        ("b=1,b=2", "b has two sizes"),
        ("d=2", "--dim: the program has no dimension d; its dimensions are b, c"),
        ("arg9.0=2", "the program has no dimension arg9.0"),
    ],
)
@pytest.mark.parametrize("command", ["run", "inspect", "opt"])
def test_wrong_sizes_are_errors_of_the_command(
    shlo: Shlo, exported: Path, command: str, given: str, message: str
) -> None:
    done = shlo(command, exported, "--dim", given)
    assert done.returncode == 2
    assert message in done.stderr


def test_opt(shlo: Shlo, exported: Path) -> None:
    done = shlo("opt", exported, "--dim", "b=2", "--dim", "c=4")
    assert (done.returncode, done.stderr) == (0, "")
    assert "?" not in done.stdout
    done = shlo("opt", exported, "--dim", "b=1", "--dim", "c=4", "--pass", "cse")
    assert (done.returncode, done.stdout) == (1, "")
    assert "constraint b >= 2" in done.stderr


def test_on_a_terminal(exported: Path) -> None:
    shown = run_on_terminal("run", exported, "--dim", "b=2", "--dim", "c=4", "--random", "0")
    assert shown.status == 0
    assert 'result 0 "result": tensor<2x3xf32>' in shown.text


def test_random_inputs_of_unknown_sizes_name_the_option(shlo: Shlo, exported: Path) -> None:
    done = shlo("run", exported, "--random", "0")
    assert done.returncode == 1
    assert "random values require static dimensions; --dim NAME=SIZE gives them" in done.stderr
