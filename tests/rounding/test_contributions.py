"""Contributions: the ops predicted to contribute most are those that running each op alone wide gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import stablehlo_py as shlo
from tests.rounding.drawn import DTYPES, draw, gains, inputs

_NEAR = 0.03  # of the error: gains that are as good as equal


LOGISTIC = """func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {{
  %r = stablehlo.constant dense<{rate}> : tensor<16xf32>
  %one = stablehlo.constant dense<1.0> : tensor<16xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<{count}> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<16xf32>
    cond {{
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }} do {{
      %a = stablehlo.subtract %one, %y : tensor<16xf32>
      %b = stablehlo.multiply %a, %y : tensor<16xf32>
      %d = stablehlo.multiply %r, %b : tensor<16xf32>
      %k = stablehlo.add %i, %step : tensor<i32>
      stablehlo.return %k, %d : tensor<i32>, tensor<16xf32>
    }}
  return %0#1 : tensor<16xf32>
}}
"""


@pytest.mark.parametrize(
    ("rate", "count", "is_chaotic"),
    [(3.9, 100, True), (3.9, 60, True), (3.9, 10, False), (2.9, 100, False), (3.5, 100, False)],
)
def test_the_logistic_map_is_chaotic_above_a_rate_of_3_57(rate: float, count: int, is_chaotic: bool) -> None:
    """Of 2.9 it has a fixed point, of 3.5 a cycle of four; of 3.9 errors grow by 1.64 in an iteration."""
    x = np.linspace(0.1, 0.85, 16, dtype=np.float32)
    found = shlo.shadow(shlo.parse(LOGISTIC.format(rate=rate, count=count)), [x])
    assert found.is_chaotic == is_chaotic == bool(found.warning) == found.to_dict()["chaotic"]
    (error,) = found.errors
    assert error is not None
    assert all(abs(row.contribution) <= 10 * error for row in found.rows)
    assert (error > 0.1) == is_chaotic


def test_a_cancellation_is_not_chaotic() -> None:
    text = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %x : tensor<2xf32>
  %1 = stablehlo.exponential %y : tensor<2xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}"""
    x = np.array([1, 2], np.float32)
    found = shlo.shadow(shlo.parse(text), [x, np.nextafter(x, np.float32(3))])
    assert found.errors[0] is not None and found.errors[0] > 0.1
    assert not found.is_chaotic


def hits(type: str, seeds: range) -> tuple[int, int]:
    """Return how many of the predicted three gain as much as the true three, and of how many."""
    right = asked = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, *type.encode()])
        text = draw(rng, type)
        given = inputs(rng, type)
        found = shlo.shadow(shlo.parse(text), given)
        rows = [row for row in found.rows if row.contribution]
        assert not found.is_chaotic
        error = found.errors[0]
        if len(rows) <= 3 or error is None or not error < 0.5:
            continue  # nothing to choose, or no digit is right
        true = gains(text, type, given)
        third = sorted(true.values())[-3]
        right += sum(true[row.value] >= third - _NEAR for row in rows[:3])
        asked += 3
    return right, asked


@pytest.mark.parametrize("type", DTYPES)
def test_the_predicted_ops_are_those_that_gain_most_alone(type: str) -> None:
    right, asked = hits(type, range(8))
    assert asked >= 9
    assert right >= 0.9 * asked


@pytest.mark.slow
def test_the_predicted_ops_of_many_programs() -> None:
    found = [hits(type, range(8, 75)) for type in DTYPES]
    right, asked = map(sum, zip(*found, strict=True))
    assert asked >= 300
    assert right >= 0.9 * asked


@pytest.mark.parametrize("type", DTYPES)
def test_random_rounding_agrees_with_the_shadow(type: str) -> None:
    """Rounding up or down varies by the square root of 2 more than rounding to the nearest errs."""
    ratios = []
    for seed in range(4):
        rng = np.random.default_rng([seed, *type.encode()])
        module, given = shlo.parse(draw(rng, type)), inputs(rng, type)
        errors = {row.value: row.error for row in shlo.shadow(module, given).rows}
        random = shlo.shadow(module, given, wide="random")
        assert {row.value for row in random.rows} == set(errors)
        for row in random.rows:
            if 1e-10 < errors[row.value] < 0.1:
                ratios.append(math.log10(row.error / errors[row.value]))
                assert abs(row.digits + math.log10(errors[row.value])) < 1, row
    assert len(ratios) >= 12
    assert abs(float(np.median(ratios)) - math.log10(2) / 2) < 0.15
