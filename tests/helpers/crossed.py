"""Combinations of cases: a diagonal of them by default, the others in slow tests."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def crossed(*axes: Iterable[Any], every: int = 3) -> list[Any]:
    """The combinations of a value of each axis, as arguments of a test.

    Args:
        axes: The values of each argument; in some place of two axes, at least `every` of them.
        every: A combination is no slow test if its places add up to a multiple of it, so that each value of
            each axis is in one.
    """
    places = product(*(list(enumerate(axis)) for axis in axes))
    return [
        pytest.param(
            *(value for _, value in place),
            id="-".join(str(value) for _, value in place),
            marks=[pytest.mark.slow] * (sum(number for number, _ in place) % every > 0),
        )
        for place in places
    ]
