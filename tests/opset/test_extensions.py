"""Ops of other packages: defined at any time, and cached apart from built-in ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BEFORE = """
import stablehlo_py as shlo

TEXT = '''
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = example.same %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
'''
try:
    shlo.parse(TEXT)
except shlo.ParseError as error:
    print(error.diagnostics[0].message)
"""
DEFINED = """
from stablehlo_py.opset.classes import FLOAT, tensor_of
from stablehlo_py.opset.definition import OpDef, Operand, Result, define, rules

define(
    OpDef(
        name="example.same",
        inputs=(Operand("x", tensor_of(FLOAT)),),
        outputs=(Result("result", tensor_of(FLOAT)),),
        constraints=rules(("C1", "rank(x) = 2")),
        form="$x attr-dict `:` custom<same_operands_and_result_type>(type($x), type($result))",
    )
)
"""
AFTER = """
module = shlo.parse(TEXT)
print([diagnostic.code for diagnostic in shlo.verify(module)])
assert "example.same %arg0 : tensor<2xf32>" in shlo.format(module)
"""


def run(code: str, cache: Path) -> str:
    """The output of a Python process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SHLO_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_an_op_that_is_defined_after_programs_were_parsed(tmp_path: Path) -> None:
    unknown = "there is no op example.same in a pretty form\n"
    assert run(BEFORE + DEFINED + AFTER, tmp_path) == f"{unknown}['example.same.C1']\n"
    assert run(DEFINED + BEFORE + AFTER, tmp_path) == "['example.same.C1']\n"
    assert run(BEFORE, tmp_path) == unknown  # what the others cached has no such op here


def test_formulas_of_an_added_op_are_checked_whole_before_any_is_evaluated(tmp_path: Path) -> None:
    wrong = DEFINED.replace("rank(x) = 2", "if rank(x) = 3 then rank(nothing) = 1")
    report = """
from stablehlo_py.notation.terms import NotationError
try:
    shlo.verify(shlo.parse(TEXT))
except NotationError as error:
    print(error)
"""
    assert run(wrong + BEFORE + report, tmp_path) == "undefined name nothing\n"
