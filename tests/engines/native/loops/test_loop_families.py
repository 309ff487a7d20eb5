"""Every op of the native engine as loops, on some element types, others for each op, through all stages.

`ORACLE_DRAWS=2 pytest -m slow FILE` takes all element types.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

from loop_regions import check_module, region_of, run_code

import stablehlo_py as shlo
from stablehlo_py.engines.native.arithmetic.scalar_ops import SCALAR_OPS
from stablehlo_py.engines.native.lower.region import lower
from stablehlo_py.opset.definition import OpDef
from tests.engines.native.test_every_op import NATIVE, cases_of
from tests.helpers.drawing.draw import Case
from tests.helpers.loop_interpreter import Interpreter
from tests.helpers.soak import DRAWS, sample

FAMILIES = [each for each in NATIVE if each.name.startswith("stablehlo.") and each.name not in SCALAR_OPS]


def defined(definition: OpDef, seed: int) -> list[Case]:
    """The programs whose elements are of a type that the op is defined for."""
    return [case for case in cases_of(definition, seed) if _is_defined(case)]


def _is_defined(case: Case) -> bool:
    try:
        shlo.run(case.module, case.arguments, entry=case.name, engine="numpy")
    except shlo.RunError:
        return False
    return True


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("definition", FAMILIES, ids=lambda definition: definition.name)
def test_families(definition: OpDef) -> None:
    sum(
        check_module(case.module, case.name, case.arguments, compiled=False)
        for case in sample(defined(definition, 41), definition.name, 10)
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("draw", range(DRAWS))
@pytest.mark.parametrize("definition", NATIVE, ids=lambda definition: definition.name)
def test_every_op(definition: OpDef, draw: int) -> None:
    for case in sample(defined(definition, 43 + draw), definition.name, 4):
        check_module(case.module, case.name, case.arguments)


Q = "!quant.uniform<i8:f32, 0.5:3>"
QUANTIZED = {
    "sum": (
        f"""
func.func @main(%x: tensor<2x5xf32>, %y: tensor<2x5xf32>) -> tensor<2x5xf32> {{
  %a = stablehlo.uniform_quantize %x : (tensor<2x5xf32>) -> tensor<2x5x{Q}>
  %b = stablehlo.uniform_quantize %y : (tensor<2x5xf32>) -> tensor<2x5x!quant.uniform<i8<-5:9>:f32, 0.25:-7>>
  %c = stablehlo.add %a, %b : (tensor<2x5x{Q}>, tensor<2x5x!quant.uniform<i8<-5:9>:f32, 0.25:-7>>)
    -> tensor<2x5x!quant.uniform<u8:f32:1, {{0.1, 0.2:5, 0.3, 0.4, 0.5}}>>
  %d = stablehlo.uniform_dequantize %c
    : (tensor<2x5x!quant.uniform<u8:f32:1, {{0.1, 0.2:5, 0.3, 0.4, 0.5}}>>) -> tensor<2x5xf32>
  return %d : tensor<2x5xf32>
}}""",
        (2, 5),
    ),
    "product": (
        f"""
func.func @main(%x: tensor<5x5xf32>, %y: tensor<5x5xf32>) -> tensor<5x5xf32> {{
  %a = stablehlo.uniform_quantize %x : (tensor<5x5xf32>) -> tensor<5x5x{Q}>
  %b = stablehlo.uniform_quantize %y : (tensor<5x5xf32>) -> tensor<5x5x!quant.uniform<i8:f32, 0.25>>
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<5x5x{Q}>) -> tensor<5x5x{Q}>
  %c = stablehlo.dot_general %t, %b, contracting_dims = [1] x [0]
    : (tensor<5x5x{Q}>, tensor<5x5x!quant.uniform<i8:f32, 0.25>>) -> tensor<5x5x!quant.uniform<i32:f32, 0.01>>
  %d = stablehlo.uniform_dequantize %c : (tensor<5x5x!quant.uniform<i32:f32, 0.01>>) -> tensor<5x5xf32>
  return %d : tensor<5x5xf32>
}}""",
        (5, 5),
    ),
}


@pytest.mark.parametrize("name", list(QUANTIZED))
def test_quantized_elements(name: str) -> None:
    text, shape = QUANTIZED[name]
    x, y = np.random.default_rng(4).standard_normal((2, *shape)).astype(np.float32) * 30
    x[0, :3] = np.nan, np.inf, -np.inf
    assert check_module(shlo.parse(text), "main", [x, y]) > 0


SCATTER = """
func.func @main(%x: tensor<3x5xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2x3xf32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.subtract %b, %a : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<3x5xf32>, tensor<4x2xi64>, tensor<4x2x3xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}"""


@pytest.mark.parametrize("semantics", ["specification", "xla"])
def test_windows_that_are_partly_outside(semantics: str) -> None:
    x, u = np.arange(15, dtype=np.float32).reshape(3, 5), np.arange(24, dtype=np.float32).reshape(4, 2, 3)
    i = np.array([[1, 2], [2, 0], [-1, 1], [0, 3]])
    wanted = x.copy()
    for (row, column), update in zip(i.tolist(), u, strict=True):
        whole = 0 <= row <= 1 and 0 <= column <= 2
        for r, c in np.ndindex(2, 3):
            if whole or (semantics != "xla" and 0 <= row + r < 3 and 0 <= column + c < 5):
                wanted[row + r, column + c] = update[r, c] - wanted[row + r, column + c]
    program = lower(region_of(SCATTER), whole_windows=semantics == "xla").program
    for run in (Interpreter().run, run_code):
        np.testing.assert_array_equal(run(program, [x, i, u])[0], wanted)
