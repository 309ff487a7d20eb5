"""Formulas of CHLO: recorded values of special functions, poles, and numbers of fewer bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from test_chlo_lowering import NAMES, lowered  # beside this file

RECORDED = Path(__file__).parents[1] / "kernels" / "recorded_functions.json"  # by mpmath
ROWS = json.loads(RECORDED.read_text())
# In the distance between 1 and the next number, of the larger of 1 and the value.
ERRORS = {
    "bessel_i1e": 2,
    "digamma": 8,
    "erf": 2,
    "erf_inv": 8,
    "erfc": 2,
    "lgamma": 16,
    "polygamma": 64,
    "zeta": 4,
}
NARROW = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


def accurate(name: str, arguments: list[float]) -> bool:
    """Whether the formula does not cancel, as erf_inv does beside 1, and sums over poles."""
    return abs(arguments[0]) < 0.99 if name == "erf_inv" else len(arguments) == 1 or arguments[1] > 0


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_recorded_values(row: list[Any]) -> None:
    name, dtype, arguments, values = row
    kept = [index for index, each in enumerate(arguments) if accurate(name, each)]
    if not kept:
        return
    operands = np.array(arguments, dtype)[kept].T
    (found,) = lowered(name, list(operands), f"tensor<{len(kept)}x{NAMES[dtype]}>")
    expected = np.array(values)[kept]
    error = np.abs(found.astype(np.float64) - expected) / np.maximum(np.abs(expected), 1)
    assert error.max() <= ERRORS[name] * np.finfo(dtype).eps


INF, NAN = np.inf, np.nan
SPECIAL: dict[str, list[tuple[tuple[float, ...], float]]] = {
    "zeta": [
        ((1, 2), INF), ((1, -0.5), INF), ((1, -2), INF), ((2, -3), INF), ((3, -3), NAN), ((2, 0), INF),
        ((0.5, 2), NAN), ((2.5, -0.5), NAN),
    ],
    "polygamma": [
        ((0.5, 1), NAN), ((-1, 1), NAN), ((0, 0.5), -1.9635100260214235), ((0, -1), NAN), ((2, NAN), NAN),
    ],
    "erf_inv": [((1,), INF), ((-1,), -INF), ((0,), 0), ((1.5,), NAN)],
    "erf": [((9,), 1), ((-9,), -1), ((0,), 0)],
    "erfc": [((30,), 0), ((-30,), 2), ((0,), 1)],
    "lgamma": [((0,), INF), ((-2,), INF), ((1,), 0), ((2,), 0)],
    "digamma": [((0,), NAN), ((-3,), NAN), ((INF,), INF)],
    "bessel_i1e": [((0,), 0)],
    "cosh": [((0,), 1)],
    "sinh": [((0,), 0)],
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name: str, dtype: str) -> None:
    operands = np.array([arguments for arguments, _ in SPECIAL[name]], dtype).T
    (found,) = lowered(name, list(operands), f"tensor<{operands.shape[1]}x{NAMES[dtype]}>")
    expected = np.array([value for _, value in SPECIAL[name]])
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert (np.signbit(found) == np.signbit(expected))[expected != 0].all()


@pytest.mark.parametrize("element", NARROW)
def test_narrow_numbers_are_computed_in_f32(element: str) -> None:
    """The result is that of f32, rounded."""
    x = np.array([0.25, 0.875, 1.5, 2.75, 6.5, 9.25, -0.375, -3.25])
    for name in (*ERRORS, "cosh", "sinh"):
        operands = [x / 10 if name == "erf_inv" else x]
        if name in ("zeta", "polygamma"):
            operands = [np.round(np.abs(x)) + 2, np.abs(x) + 1]
        narrow = [each.astype(NARROW[element]) for each in operands]
        (wide,) = lowered(name, [each.astype(np.float32) for each in narrow], "tensor<8xf32>")
        (found,) = lowered(name, narrow, f"tensor<8x{element}>")
        assert np.isfinite(wide).all()
        np.testing.assert_array_equal(found, wide.astype(NARROW[element]), err_msg=name)


def test_the_conjugate_of_a_real_number() -> None:
    assert lowered("conj", [np.float32([1.5, -2])], "tensor<2xf32>")[0].tolist() == [1.5, -2]
