"""`shlo precision`: the options, the report and the files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xf32> loc("layer/add"("model.py":40:7))
  %1 = stablehlo.subtract %0, %x : tensor<2xf32> loc("layer/sub"("model.py":41:7))
  %2 = stablehlo.multiply %1, %1 : tensor<2xf32> loc("head/mul")
  return %2 : tensor<2xf32>
}
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The program and three sets: 257 and 259 are not in bf16."""
    (tmp_path / "program.mlir").write_text(PROGRAM)
    for name, x, y in (("a", 256, 1), ("b", 258, 1), ("c", 256, 3)):
        np.savez(tmp_path / f"{name}.npz", x=np.full(2, x, np.float32), y=np.full(2, y, np.float32))
    return [str(tmp_path / name) for name in ("program.mlir", "a.npz", "b.npz", "c.npz")]


def test_the_report_names_the_ops_and_writes_the_program(
    shlo: Shlo, files: list[str], tmp_path: Path
) -> None:
    program, *sets = files
    done = shlo(
        "precision", program, *[x for s in sets for x in ("-a", s)], "-o", str(tmp_path / "mixed.mlir")
    )
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "2 of 3 ops must stay wide for an error of at most 0.01, the others are bf16"
    assert lines[1] == "error 0, with all of them narrow 1; on held-back sets at most 0"
    assert [line.split() for line in lines[2:5]] == [
        ["op", "where"],
        ["add", "line", "2", "%0,", "model.py:40,", "layer/add"],
        ["subtract", "line", "3", "%1,", "model.py:41,", "layer/sub"],
    ]
    assert lines[-2] == "shlo opt -p 'narrow=type=bf16 keep=signature,line:2,line:3'"
    assert "all of 3 units narrow: error 1\n" in done.stderr
    made = shlo("opt", program, "--locations", "-p", "narrow=type=bf16 keep=signature,line:2,line:3")
    assert made.stdout == (tmp_path / "mixed.mlir").read_text()


def test_scopes_and_json(shlo: Shlo, files: list[str]) -> None:
    program, first, *_ = files
    done = shlo("precision", program, "-a", first, "--by", "scope", "--format", "json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["ok"], found["scopes"], found["held_back"]) == (0, True, ["layer"], [])
    assert [op["value"] for op in found["kept"]] == ["%0", "%1"]
    assert found["pass"] == "narrow=type=bf16 keep=signature,layer"
    assert found["cost"]["wide_flops"] < found["wide_cost"]["wide_flops"] + 5


def test_misuse(shlo: Shlo, files: list[str]) -> None:
    program, first, *_ = files
    for arguments, message in (
        ((), "give at least one set of inputs, with --inputs or --random"),
        (("-a", first, "--type", "i8"), "type is 'i8'; it is one of"),
        (("-a", first, "--rtol", "nan"), "is not a number"),
        (("-a", "missing.npz"), "missing.npz"),
    ):
        done = shlo("precision", program, *arguments)
        assert done.returncode in (1, 2)
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def test_an_output_does_not_replace_an_input(shlo: Shlo, files: list[str]) -> None:
    program, first, *_ = files
    done = shlo("precision", program, "-a", first, "-o", program)
    assert done.returncode == 2
    assert Path(program).read_text() == PROGRAM
