"""Drawn programs with shardings: valid, and divided they have the results of the whole program."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import Request, generate


def check(seed: int, count: int) -> int:
    """Compare divided programs with whole ones; return the number of collectives in them."""
    collectives = 0
    for number in range(count):
        drawn = generate(seed, number, Request(ops=12, sharded=True, views=number % 5 == 4))
        assert shlo.verify(drawn.module) == [], number
        divided = shlo.compile(drawn.module, partition=True, engine="numpy")
        whole = shlo.run(drawn.module, drawn.arguments, engine="numpy")
        for found, expected in zip(divided(*drawn.arguments), whole, strict=True):
            assert found.shape == expected.shape, number
            complex_ones = [np.asarray(x).astype(np.complex128) for x in (found, expected)]
            np.testing.assert_array_equal(*complex_ones, err_msg=str(number))
        names = [op.name.removeprefix("stablehlo.") for op in divided.divided.walk()]
        collectives += sum(name.startswith(("all_", "collective_", "reduce_scatter")) for name in names)
    return collectives


def test_divided_programs_have_the_results_of_the_whole() -> None:
    assert check(11, 24) > 10


@pytest.mark.slow
def test_many_divided_programs_have_the_results_of_the_whole() -> None:
    assert check(12, 200) > 100
