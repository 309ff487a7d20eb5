"""Measures of errors: hand calculations on a few numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stablehlo_py.rounding.measures import difference
from stablehlo_py.rounding.parts import gone
from stablehlo_py.rounding.random_rounding import deviation
from stablehlo_py.rounding.shadowed import Shadowed


def test_difference_is_a_root_mean_square() -> None:
    assert difference(np.array([1.0, 2.0]), np.array([1.0, 0.0])) == pytest.approx(math.sqrt(2), rel=1e-12)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([[1.0], [3.0]], math.sqrt(2) / 2),  # the deviation of a sample of two
        ([[2.0, 5.0], [2.0, 5.0]], 0.0),
        ([[1.0, 4.0], [3.0, 4.0]], math.sqrt((2 + 0) / 2) / math.sqrt((4 + 16) / 2)),
        ([[-1.0], [1.0]], math.inf),
    ],
)
def test_deviation_is_of_a_sample(runs: list[list[float]], expected: float) -> None:
    assert deviation(np.array(runs)) == pytest.approx(expected, rel=1e-12)


def test_shares_add_up_as_independent() -> None:
    """Errors of 3 and 4 are 5 together; of a value of 2, the one without the other is 1 or 2 less."""
    shares = np.array([9.0, 16.0, 0.0]) / 2.0**2
    value = Shadowed(np.array([2.0], np.float32), np.array([2.0]), shares)
    assert gone(value, [[0], [1], [0, 1], [2]]) == pytest.approx([0.5, 1.0, 2.5, 0.0], rel=1e-12)


def test_signed_parts_add_up_with_their_signs() -> None:
    """Errors of 3 and -4 are -1: without the first the error is 3 larger, without the second 2 larger."""
    value = Shadowed(np.array([2.0], np.float32), np.array([2.0]), np.array([[3.0], [-4.0]]))
    assert gone(value, [[0], [1]]) == pytest.approx([-1.5, -1.0], rel=1e-12)
