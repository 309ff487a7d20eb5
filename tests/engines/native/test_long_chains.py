"""Chains of many ops: the functions that LLVM optimizes do not grow with the program."""

from __future__ import annotations

import pytest

pytest.importorskip("llvmlite")

import stablehlo_py as shlo
from stablehlo_py.engines.native.module import plan_source
from stablehlo_py.interpreter.lower import ModuleLowering


def longest_function(count: int) -> int:
    """The number of lines of the longest function for a chain of so many additions."""
    steps = "\n".join(f"%{k + 1} = stablehlo.add %{k}, %y : tensor<64xf32>" for k in range(count))
    module = shlo.parse(
        f"func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {{\n"
        f"%0 = stablehlo.negate %x : tensor<64xf32>\n{steps}\nreturn %{count} : tensor<64xf32>\n}}"
    )
    plan = ModuleLowering(module, lambda step, operands, functions: None)["main"]
    functions = plan_source(plan, 1, False, False).text.split("\n}")
    return max(text.count("\n") for text in functions if "define " in text)


@pytest.mark.slow
def test_functions_are_bounded() -> None:
    assert longest_function(2400) <= 1.1 * longest_function(1200)
