"""`shlo` on sharded programs: one global result for any number of devices."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

ROWS = """module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] \
manual_axes={"x"} (%arg1: tensor<2xi32>) {
      %1 = stablehlo.reverse %arg1, dims = [0] : tensor<2xi32>
      sdy.return %1 : tensor<2xi32>
    } : (tensor<4xi32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "rows.mlir").write_text(ROWS)
    return tmp_path


def test_the_result_is_printed_once(shlo: Shlo, here: Path) -> None:
    done = shlo("run", "rows.mlir", "-a", "dense<[1, 2, 3, 4]> : tensor<4xi32>", cwd=here)
    assert (done.stderr, done.stdout) == ("", "result 0: tensor<4xi32>\n  [2, 1, 4, 3]\n")


def test_inputs_of_one_process_give_the_results_of_all(shlo: Shlo, here: Path) -> None:
    inputs = [f"@0,{p}=dense<{values}> : tensor<4xi32>" for p, values in enumerate(("[1, 2, 3, 4]", "5"))]
    command = ["run", "rows.mlir", "-a", inputs[0], "-a", inputs[1], "--format", "json"]
    results = json.loads(shlo(*command, cwd=here).stdout)["results"]
    assert [(r["process"], r["data"]) for r in results] == [([0, 0], [2, 1, 5, 5]), ([0, 1], [2, 1, 5, 5])]


def test_a_grid_that_does_not_fit(shlo: Shlo, here: Path) -> None:
    done = shlo("run", "rows.mlir", "-a", "dense<1> : tensor<4xi32>", "--partitions", 3, cwd=here)
    assert done.returncode == 1
    assert "rows.mlir:4:10: error: sdy.manual_computation: @mesh has 2 devices" in done.stderr


@pytest.mark.parametrize("command", ["verify", "lint", "inspect", "fmt"])
def test_other_commands_take_it(shlo: Shlo, here: Path, command: str) -> None:
    done = shlo(command, "rows.mlir", cwd=here)
    assert (done.returncode, "error:" in done.stdout + done.stderr) == (0, False)
    if command == "fmt":
        assert (here / "rows.mlir").read_text() == ROWS
