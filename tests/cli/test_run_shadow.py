"""`shlo run --shadow`: the ops that the results' errors come from, with line, source and scope."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """func.func @main(%a: tensor<f16>, %b: tensor<f16>) -> (tensor<f16>, tensor<i1>) {
  %0 = stablehlo.add %a, %b : tensor<f16> loc("layer/add"("model.py":40:7))
  %1 = stablehlo.subtract %0, %a : tensor<f16>
  %2 = stablehlo.compare EQ, %0, %a : (tensor<f16>, tensor<f16>) -> tensor<i1>
  %3 = stablehlo.multiply %a, %a : tensor<f16>
  return %1, %2 : tensor<f16>, tensor<i1>
}
"""
INPUTS = ("-a", "2048.0", "-a", "1.0")  # 2049 is not in f16


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return path


def test_the_table_has_the_largest_contribution_first(shlo: Shlo, program: Path) -> None:
    done = shlo("run", program, *INPUTS, "--shadow", "f64")
    assert done.returncode == 0, done.stderr
    first, header, *rows = done.stdout.splitlines()
    assert first == "relative error of the results beside f64: 1"
    assert header.split() == ["contribution", "introduced", "error", "amplified", "cancelled", "op", "where"]
    add, subtract = (next(row.split() for row in rows if f"%{i}" in row) for i in (0, 1))
    assert add[:6] == ["1.00e+00", "4.88e-04", "4.88e-04", "0", "add", "f16"]
    assert " ".join(add[6:]) == "line 2 %0, model.py:40, layer/add"
    assert subtract[:8] == ["0.00e+00", "0.00e+00", "1.00e+00", "2.05e+03", "11.0", "bits", "subtract", "f16"]
    assert "line 4: stablehlo.compare %2: 1 element would be another in f64" in rows
    assert "line 5: stablehlo.multiply %3: 1 element out of the range of f16" in rows


def test_json_has_the_measures_of_each_op(shlo: Shlo, program: Path) -> None:
    done = shlo("run", program, *INPUTS, "--shadow", "f64", "--format", "json")
    found = json.loads(done.stdout)
    assert found["results"][0]["data"] == 0.0
    shadow = found["shadow"]
    assert (shadow["wide"], shadow["errors"], shadow["note"]) == ("f64", [1.0, None], "")
    assert {row["value"]: row["error"] for row in shadow["ops"]}["%3"] == "inf"
    assert shadow["scopes"][0] == {"scope": "layer", "contribution": 1.0}


@pytest.mark.parametrize("options", [("--trace",), ("--engine", "native"), ("--profile",)])
def test_what_does_not_go_with_a_shadow_run(shlo: Shlo, program: Path, options: tuple[str, ...]) -> None:
    if "native" in options:
        pytest.importorskip("llvmlite", reason="needs the extra native")
    done = shlo("run", program, *INPUTS, "--shadow", "f64", *options)
    assert done.returncode == 2
    assert "--shadow" in done.stderr


def test_ranges_of_another_engine(shlo: Shlo, program: Path) -> None:
    pytest.importorskip("llvmlite", reason="needs the extra native")
    done = shlo("run", program, *INPUTS, "--ranges", "--engine", "native")
    assert done.returncode == 2
    assert "--ranges runs on engine numpy, not native" in done.stderr
