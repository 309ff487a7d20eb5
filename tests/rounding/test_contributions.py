"""Contributions: the ops predicted to contribute most are those that running each op alone wide gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import stablehlo_py as shlo
from tests.rounding.drawn import DTYPES, draw, gains, inputs

_NEAR = 0.03  # of the error: gains that are as good as equal


def hits(type: str, seeds: range) -> tuple[int, int]:
    """Return how many of the predicted three gain as much as the true three, and of how many."""
    right = asked = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, *type.encode()])
        text = draw(rng, type)
        given = inputs(rng, type)
        found = shlo.shadow(shlo.parse(text), given)
        rows = [row for row in found.rows if row.contribution]
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
