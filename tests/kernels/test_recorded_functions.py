"""Special functions in all their pieces, as mpmath has them; coefficients of series by their definitions."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb, factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stablehlo_py.kernels.numeric import coefficients, gamma, special

ROWS = json.loads(Path(__file__).with_name("recorded_functions.json").read_text())
ULPS = {"erfc": 3, "bessel_i1e": 2}  # else 1: units in the last place of f64


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_values(row: list[Any]) -> None:
    name, dtype, arguments, expected = row
    function = getattr(gamma, name, None) or getattr(special, name)
    with np.errstate(all="ignore"):
        found = function(*np.array(arguments, dtype).T)
    assert found.dtype == dtype
    np.testing.assert_array_max_ulp(
        found, np.array(expected, dtype), ULPS.get(name, 1) if dtype == "float64" else 1
    )


def bernoulli(count: int) -> list[Fraction]:
    """The first Bernoulli numbers, by their recursion."""
    found = [Fraction(1)]
    for n in range(1, count):
        found.append(-sum((comb(n + 1, k) * found[k] for k in range(n)), Fraction(0)) / (n + 1))
    return found


B = bernoulli(26)
SERIES = {
    "zeta": (coefficients.ZETA_DIVISORS, [factorial(n) / B[n] for n in range(2, 26, 2)]),
    "lgamma": (gamma._STIRLING[::-1], [B[n] / (n * (n - 1)) for n in range(2, 16, 2)]),
    "digamma": (gamma._ASYMPTOTIC[::-1], [B[n] / n for n in range(2, 16, 2)]),
}


@pytest.mark.parametrize("name", SERIES)
def test_coefficients_of_series(name: str) -> None:
    found, expected = SERIES[name]
    assert list(found) == pytest.approx(list(map(float, expected)), rel=1e-15)
