"""The typical program: valid, and its ops need no rules when a program is verified first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import stablehlo_py as shlo
from stablehlo_py.opset.typical import typical_program

FIRST = """
import stablehlo_py as shlo
from stablehlo_py.syntax.forms.read import form_readers
from stablehlo_py.verifier.constraints import rules_of
def made():
    return rules_of.cache_info().misses, form_readers.cache_info().misses
before = made()
module = shlo.parse('''func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2x3xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}''')
assert shlo.verify(module) == []
usual = made()
shlo.verify(shlo.parse("func.func @main(%x: tensor<f32>) { %0 = stablehlo.cbrt %x : tensor<f32> return }"))
print(usual == before, made() == before)
"""


def test_the_typical_program_is_valid_with_strict_rules() -> None:
    assert shlo.verify(shlo.parse(typical_program()), strict=True) == []


def test_usual_ops_are_prepared_with_the_import_once_tables_are_stored(tmp_path: Path) -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-Pc", FIRST],
            env={**os.environ, "SHLO_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout
        for _ in range(2)
    ]
    assert printed == ["False False\n", "True False\n"]
