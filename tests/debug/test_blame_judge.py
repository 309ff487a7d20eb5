"""The judge of results: which differences are those of rounding."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.blame.judge import Judge
from stablehlo_py.ir.element_types import numpy_dtype
from stablehlo_py.ir.types import FloatType


def is_wrong(type: str, expected: list[float], found: list[float], tolerance: float | None = None) -> bool:
    """The verdict on the result of a program that returns its input."""
    text = f"func.func @main(%a: tensor<2x{type}>) -> tensor<2x{type}> {{ return %a : tensor<2x{type}> }}"
    module = shlo.parse(text)
    dtype = numpy_dtype(FloatType(type))
    judge = Judge(module, [np.array(expected, dtype)], list, tolerance)
    return bool(judge.differences(module, [np.array(found, dtype)]))


@pytest.mark.parametrize(("type", "tolerance"), [("f64", 1e-6), ("f32", 1e-3), ("f16", 3e-2), ("bf16", 3e-2)])
def test_the_tolerance_is_that_of_the_type(type: str, tolerance: float) -> None:
    """Relative to the largest magnitude, 4, also for the small element."""
    assert not is_wrong(type, [4.0, 0.5], [4.0, 0.5 + 0.9 * 4 * tolerance])
    assert is_wrong(type, [4.0, 0.5], [4.0, 0.5 + 1.1 * 4 * tolerance])


def test_a_stated_tolerance() -> None:
    assert not is_wrong("f32", [4.0, 0.5], [4.0, 1.2], 0.2)
    assert is_wrong("f32", [4.0, 0.5], [4.0, 0.6], 0.02)


def test_zeros_have_a_tolerance() -> None:
    assert not is_wrong("f64", [0.0, 0.0], [0.0, 0.9e-8])
    assert is_wrong("f64", [0.0, 0.0], [0.0, 1.1e-8])


def test_other_results_than_numbers() -> None:
    assert is_wrong("f32", [1.0, 2.0], [1.0, np.nan])
    assert is_wrong("f32", [1.0, 2.0], [1.0, np.inf])
    assert not is_wrong("f32", [1.0, np.nan], [1.0, np.nan])


def test_another_number_of_results() -> None:
    module = shlo.parse("func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }")
    with pytest.raises(shlo.RunError, match="2 results, expected 1"):
        Judge(module, [np.float32(1)], list, None).differences(module, [np.float32(1)] * 2)
