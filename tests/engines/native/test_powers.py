"""Powers of the native engine beside those of C in a wider format."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo

SPECIAL = [0.0, -0.0, 1, -1, math.inf, -math.inf, math.nan, 1e-45, 1e-38, 3e38, -3.5, 4, 2]


def power(x: float, y: float) -> float:
    """C's `pow`, without exceptions."""
    try:
        return math.pow(x, y)
    except ZeroDivisionError:
        return math.inf
    except ValueError:
        return math.inf if x == 0 and y < 0 else math.nan


@pytest.mark.parametrize("exponent", [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -1.25])
def test_powers_with_a_constant_exponent(exponent: float) -> None:
    random = np.random.default_rng(4)
    x = np.array([*SPECIAL, *np.exp(random.uniform(-60, 60, 500))], np.float32)
    t = f"tensor<{x.size}xf32>"
    text = f"""func.func @main(%x: {t}) -> ({t}, {t}, {t}) {{
      %e = stablehlo.constant dense<{exponent}> : {t}
      %0 = stablehlo.power %x, %e : {t}
      %1 = stablehlo.negate %0 : {t}
      %2 = stablehlo.abs %0 : {t}
      return %0, %1, %2 : {t}, {t}, {t}
    }}"""
    compiled = shlo.compile(shlo.parse(text), engine="native")
    assert [step.name for step in compiled.plan.steps] == ["native"]
    with np.errstate(over="ignore"):
        expected = np.array([power(float(each), exponent) for each in x]).astype(np.float32)
    found = compiled(x)[0]
    np.testing.assert_array_equal(np.signbit(found)[~np.isnan(found)], np.signbit(expected)[~np.isnan(found)])
    np.testing.assert_array_max_ulp(found, expected, 1)
