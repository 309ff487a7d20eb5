"""Functions of complex numbers by functions of real ones, at the borders of their formulas.

Expected values are computed in f64, sums near the zeros of logarithms exactly.
"""

from __future__ import annotations

import cmath
import math
from fractions import Fraction

import numpy as np
import pytest

import stablehlo_py as shlo


def half_log_of_norm(x: float, y: float, excess: Fraction) -> float:
    """log |z|, where |z|^2 - 1 is known exactly."""
    return 0.5 * math.log1p(float(excess)) if abs(excess) < 0.5 else math.log(math.hypot(x, y))


def log(z: complex) -> complex:
    excess = Fraction(z.real) ** 2 + Fraction(z.imag) ** 2 - 1
    return complex(half_log_of_norm(z.real, z.imag, excess), math.atan2(z.imag, z.real))


def log_plus_one(z: complex) -> complex:
    x, y = Fraction(z.real), Fraction(z.imag)
    excess = 2 * x + x * x + y * y
    return complex(half_log_of_norm(float(x + 1), z.imag, excess), math.atan2(z.imag, float(x + 1)))


AXES = [1, -1, 1j, -1j, 3 + 4j, -3 + 4j, 3 - 4j, -3 - 4j, 0.5 + 0.25j, 12 - 5j, 5 - 12j]
UNIT_CIRCLE = [
    0.6 + 0.8j,
    0.8 - 0.6j,
    -0.6 + 0.8j,
    1 + 1e-4j,
    1e-4 + 1j,
    0.70710677 + 0.70710677j,
    0.7 - 0.71j,
]
LARGE_AND_SMALL = [1e30 + 2e30j, -1e30 - 1e25j, 1e-30 + 3e-30j, 3e-30 - 1e-30j, 1e30 + 1e-30j, 1e-30 - 1e30j]
EXTREME = [
    3e38 + 2e38j,
    2e38 - 3e38j,
    -3e38 + 2e38j,
    3e38 + 3e38j,
    1e-42 - 1e-42j,
]
AROUND_MINUS_ONE = [-1 + 1e-5j, -1.00001 + 1e-4j, -0.9999 - 1e-4j, -2 + 0.01j, -1.9999 + 0.02j, -1.05 + 0.1j]
TABLE = {
    "exponential": (cmath.exp, [0, 1j, 2, -3 + 1j, 88.8 + 0.8j, 88.8 - 0.8j, 88.8 + 2.3j, 89, -100 + 1j]),
    "log": (log, [*AXES, *UNIT_CIRCLE, *LARGE_AND_SMALL]),
    "log_plus_one": (log_plus_one, [0, *AXES[2:], *AROUND_MINUS_ONE, *LARGE_AND_SMALL, 1e-3 - 2e-3j]),
    "sqrt": (cmath.sqrt, [0, *AXES, 1 + 1j, -1 - 1j, *LARGE_AND_SMALL, *EXTREME]),
}


@pytest.mark.parametrize("op", TABLE)
def test_parts_are_accurate(op: str) -> None:
    function, points = TABLE[op]
    z = np.array(points, np.complex64)
    type = f"tensor<{z.size}xcomplex<f32>>"
    text = (
        f"func.func @main(%z: {type}) -> {type} {{\n%r = stablehlo.{op} %z : {type}\nreturn %r : {type}\n}}"
    )
    module = shlo.opt(shlo.parse(text), ["stablehlo-complex-math-expander"])
    assert f"stablehlo.{op} %z" not in str(module)
    (found,) = shlo.run(module, [z])
    with np.errstate(over="ignore"):
        wanted = np.array([function(complex(each)) for each in z]).astype(np.complex64)
    np.testing.assert_allclose(found.real, wanted.real, 1e-6, 3e-45)
    np.testing.assert_allclose(found.imag, wanted.imag, 1e-6, 3e-45)


def test_an_op_that_states_its_accuracy_stays() -> None:
    type = "tensor<2xcomplex<f32>>"
    for mode, stays in (("HIGHEST", True), ("TOLERANCE", True), ("DEFAULT", False)):
        bounds = "atol = 1.0e-5, rtol = 0.0, ulps = 1, " * (mode == "TOLERANCE")
        accuracy = f"#stablehlo.result_accuracy<{bounds}mode = #stablehlo.result_accuracy_mode<{mode}>>"
        text = f"""func.func @main(%z: {type}) -> {type} {{
  %r = "stablehlo.exponential"(%z) <{{result_accuracy = {accuracy}}}> : ({type}) -> {type}
  return %r : {type}
}}"""
        module = shlo.opt(shlo.parse(text), ["stablehlo-complex-math-expander"])
        assert (len(module.functions["main"].regions[0].block.ops) == 2) is stays
