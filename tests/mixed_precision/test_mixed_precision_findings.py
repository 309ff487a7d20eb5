"""Findings by hand: the factor of loss scaling, expenses, and whether errors are within tolerance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import FloatType
from stablehlo_py.mixed_precision import tuner
from stablehlo_py.mixed_precision.findings import (
    Expense,
    KeptOp,
    MixedPrecision,
    Scaling,
    expense,
    scaling,
)

F16, BF16 = FloatType("f16"), FloatType("bf16")


@pytest.mark.parametrize(
    ("results", "expected"),
    [  # f16: normal from 2^-14 on, 11 bits, the least number 2^-24, the largest 65504
        ([[2.0**-16, 2.0**-16]], Scaling((0,), 0, 2.0**13)),  # 2^-14 * 2^11 / 2^-16
        ([[1.0], [2.0**-16, 0.0, np.inf, np.nan], [2.0**-14]], Scaling((1,), 0, 2.0**13)),
        ([[2.0**-16, -(2.0**-26), 2.0**-25, 1.5 * 2.0**-25]], Scaling((0,), 2, 2.0**14)),
        ([[2.0**-40], [2.0**-15]], Scaling((0, 1), 1, 2.0**30)),  # what 2^-15 allows
        ([[1.0, 2.0**-30]], None),
        ([[0.0], []], None),
    ],
)
def test_scaling(results: list[list[float]], expected: Scaling | None) -> None:
    assert scaling([np.array(each) for each in results], F16) == expected


def test_results_that_are_not_of_floats_are_not_scaled() -> None:
    assert scaling([np.int32([0, 1]), None, np.bool_(1)], F16) is None


@pytest.mark.parametrize(("indices", "which"), [((0,), "result 0"), ((1, 2), "results 1, 2")])
def test_scaling_in_words(indices: tuple[int, ...], which: str) -> None:
    assert Scaling(indices, 1234, 8192.0).text("f16") == (
        f"{which}: below the normal numbers of f16, 1,234 elements become zero; "
        "if these are gradients, scale the loss by 8192"
    )


def test_an_expense_counts_wide_operations_apart() -> None:
    module = shlo.parse("""func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<8xbf16>)
    -> (tensor<2x4xf32>, tensor<8xbf16>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.add %c, %c : tensor<8xbf16>
  return %0, %1 : tensor<2x4xf32>, tensor<8xbf16>
}""")
    product, sums = 2 * 2 * 3 * 4, 8
    found = expense(module, "main", BF16)
    assert (found.flops, found.wide_flops) == (product + sums, product)


def tuned(**given: Any) -> MixedPrecision:
    module = shlo.parse("func.func @main() { return }")
    kept = [KeptOp("stablehlo.add", "%0", line, "", scope) for line, scope in ((7, "a"), (9, ""), (7, "a"))]
    cost = Expense(1, 1, 1)
    return MixedPrecision(
        **{"module": module, "type": "bf16", "rtol": 0.5, "kept": kept, "scopes": [], "candidates": 3,
           "narrow_error": math.inf, "errors": [0.5, 0.25], "held_back": [0.5], "unchecked": [], "runs": 2,
           "exhausted": False, "wide_cost": cost, "cost": cost} | given
    )  # fmt: skip


def test_errors_within_tolerance() -> None:
    assert tuned().ok
    assert not tuned(errors=[0.25, 0.5001]).ok and not tuned(held_back=[0.5001]).ok


@pytest.mark.parametrize(
    ("scopes", "keep"),
    [([], "signature,line:7,line:9"), (["a", "b"], "signature,a,b"), (["a", ""], "signature,line:7,line:9")],
)
def test_the_pass_that_makes_the_program(scopes: list[str], keep: str) -> None:
    assert tuned(scopes=scopes).passes == f"narrow=type=bf16 keep={keep}"


def test_plain_data() -> None:
    found = tuned(scaling=Scaling((1,), 2, 4.0)).to_dict()
    assert (found["narrow_error"], found["errors"], found["held_back"]) == ("inf", [0.5, 0.25], [0.5])
    assert found["scaling"] == {"results": (1,), "lost": 2, "factor": 4.0}
    assert found["kept"][1] == {"op": "stablehlo.add", "value": "%0", "line": 9, "source": "", "scope": ""}
    assert tuned().to_dict()["scaling"] is None


@pytest.mark.parametrize(
    ("found", "expected", "error"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 5], 0.25),
        ([True, False], [True, True], 0.5),
        (np.int32([]), np.int32([]), 0.0),
        ([3.0, 4.0], [3.0, 4.0], 0.0),
        ([3.0, 5.0], [3.0, 4.0], 0.2),  # sqrt(1/2) of sqrt(25/2)
        ([np.nan, np.inf, 2.0], [np.nan, np.inf, 1.0], 1.0),
        ([np.nan, 1.0], [1.0, 1.0], math.inf),
        ([1.0, 1.0], [np.inf, 1.0], math.inf),
        ([-np.inf], [np.inf], math.inf),
    ],
)
def test_errors_of_results(found: Any, expected: Any, error: float) -> None:
    assert tuner._error(np.asarray(found), np.asarray(expected)) == pytest.approx(error)
