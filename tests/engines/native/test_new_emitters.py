"""Ops from elsewhere in the native engine: the emitters of the page on adding an op run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from conftest import ROOT

PAGE = (ROOT / "docs" / "adding-an-op.md").read_text()
FILE = re.compile(r"^`([\w/.]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
SCRIPT = '''
import numpy as np
import example_ops
from example_ops import native, more_native
import stablehlo_py as shlo
from stablehlo_py.engines.registry import find_engine
from stablehlo_py.kernels.registry import kernel
from stablehlo_py.opset.classes import FLOAT, tensor_of
from stablehlo_py.opset.definition import OpDef, Operand, Result, define, rules

for name, out in (("swish", "type(operand) = type(result)"), ("norms", "rank(operand) = 2")):
    define(
        OpDef(
            name=f"example.{name}",
            doc="An op on floats.",
            inputs=(Operand("operand", tensor_of(FLOAT)),),
            outputs=(Result("result", tensor_of(FLOAT)),),
            constraints=rules(("C1", out)),
            traits=frozenset({"pure"}),
            since="",
        )
    )
kernel("example.swish")(lambda operand: operand / (1 + np.exp(-operand)))
kernel("example.norms")(lambda operand: (operand * operand).sum(axis=1))

TEXT = """
func.func @main(%x: tensor<30x50xf32>) -> (tensor<30x50xf32>, tensor<30xf32>) {
  %0 = example.roll %x, by 7, dim = 1 : tensor<30x50xf32>
  %1 = example.roll %0, by -31, dim = 0 : tensor<30x50xf32>
  %2 = "example.swish"(%1) : (tensor<30x50xf32>) -> tensor<30x50xf32>
  %3 = stablehlo.add %2, %x : tensor<30x50xf32>
  %4 = "example.norms"(%3) : (tensor<30x50xf32>) -> tensor<30xf32>
  return %3, %4 : tensor<30x50xf32>, tensor<30xf32>
}
"""
program = shlo.compile(TEXT, engine=find_engine("native", verify_loops=True))
assert [step.name for step in program.plan.steps] == ["native"], str(program.plan)
x = np.random.default_rng(1).standard_normal((30, 50)).astype(np.float32)
moved = np.roll(np.roll(x.astype(np.float64), 7, 1), -31, 0)
wanted = moved / (1 + np.exp(-moved)) + x
found, norms = program(x)
np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
np.testing.assert_allclose(norms, (wanted * wanted).sum(axis=1), rtol=1e-5)
assert "swish" in program.explain("name")
'''


def test_emitters_of_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHLO_CACHE_DIR", str(tmp_path / "cache"))
    for path, text in FILE.findall(PAGE):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
