"""Powers of the native engine beside those of C in a wider format."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="needs the extra native")

import stablehlo_py as shlo
from tests.helpers.native import compiled, dtype_of, tensor

SPECIAL = [0.0, -0.0, 1, -1, math.inf, -math.inf, math.nan, 1e-45, 1e-38, 3e38, -3.5, 4, 2]


def power(x: float, y: float) -> float:
    """C's `pow`, without exceptions."""
    try:
        return math.pow(x, y)
    except (ZeroDivisionError, ValueError):  # a pole, with the sign of a zero if the exponent is odd
        return math.copysign(math.inf, x if y % 2 == 1 else 1) if x == 0 and y < 0 else math.nan


@pytest.mark.parametrize("exponent", [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -1.25, -3, -2, -1, 2, 3, 4, 5, -4])
def test_powers_with_a_constant_exponent(exponent: float) -> None:
    random = np.random.default_rng(4)
    x = np.array([*SPECIAL, *np.exp(random.uniform(-60, 60, 500))], np.float32)
    t = f"tensor<{x.size}xf32>"
    text = f"""func.func @main(%x: {t}) -> ({t}, {t}, {t}) {{
      %e = stablehlo.constant dense<{float(exponent)}> : {t}
      %0 = stablehlo.power %x, %e : {t}
      %1 = stablehlo.negate %0 : {t}
      %2 = stablehlo.abs %0 : {t}
      return %0, %1, %2 : {t}, {t}, {t}
    }}"""
    with np.errstate(over="ignore"):
        expected = np.array([power(float(each), exponent) for each in x]).astype(np.float32)
    found = compiled(text)(x)[0]
    np.testing.assert_array_equal(np.signbit(found)[~np.isnan(found)], np.signbit(expected)[~np.isnan(found)])
    np.testing.assert_array_max_ulp(found, expected, 1)


@pytest.mark.parametrize("exponent", [-3, -2, -1, 2, 3, 4])
def test_doubles_with_a_constant_exponent_are_correctly_rounded(exponent: int) -> None:
    """Fractions have no rounding: what they give is rounded once."""
    random = np.random.default_rng(5)
    x = np.concatenate([np.exp(random.uniform(-60, 60, 300)), -np.exp(random.uniform(-60, 60, 300))])
    t = f"tensor<{x.size}xf64>"
    text = f"""func.func @main(%x: {t}) -> {t} {{
      %e = stablehlo.constant dense<{float(exponent)}> : {t}
      %0 = stablehlo.power %x, %e : {t}
      %1 = stablehlo.negate %0 : {t}
      %2 = stablehlo.negate %1 : {t}
      return %2 : {t}
    }}"""
    expected = np.array([float(Fraction(each) ** exponent) for each in x])
    np.testing.assert_array_max_ulp(compiled(text)(x)[0], expected, 1)


@pytest.mark.parametrize("element", ["i8", "i32", "i64", "ui8", "ui32"])
def test_powers_of_integers(element: str) -> None:
    """They wrap around; of negative exponents, the integer part of the reciprocal, and 0 of 0."""
    dtype = dtype_of(element)
    limits = np.iinfo(dtype)
    bases = {0, 1, 2, 3, 10, limits.min, limits.max} | ({-1, -2, -3} if limits.min else set())
    exponents = {0, 1, 2, 3, 5, 8, 63, limits.max} | ({-1, -2, -3, limits.min} if limits.min else set())
    pairs = [(x, y) for x in sorted(bases) for y in sorted(exponents)]

    def expected(x: int, y: int) -> int:
        if y >= 0:
            return pow(x, y, 1 << limits.bits)
        return {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)

    type = tensor((len(pairs),), element)
    text = f"""func.func @main(%x: {type}, %y: {type}) -> {type} {{
      %0 = stablehlo.add %x, %x : {type}
      %1 = stablehlo.subtract %0, %x : {type}
      %2 = stablehlo.power %1, %y : {type}
      return %2 : {type}
    }}"""
    x, y = np.array(pairs, dtype).T.copy()
    for program in (compiled(text), shlo.compile(shlo.parse(text), engine="numpy")):
        found = [n % (1 << limits.bits) for n in program(x, y)[0].tolist()]
        assert found == [expected(*pair) % (1 << limits.bits) for pair in pairs]
