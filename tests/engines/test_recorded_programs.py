"""Drawn programs of many ops with nested regions, compared with recorded results of XLA's CPU backend."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import stablehlo_py as shlo
from tests.helpers.agreement import distance
from tests.helpers.recorded_runs import Run, read

FILE = Path(__file__).with_name("recorded_programs.zip")
SIGN_OF_ZERO = 0.5  # in ULPs: XLA multiplies by 0 without it


@cache
def runs() -> dict[str, Run]:
    return {run.op: run for run in read(FILE)}


@pytest.mark.parametrize("name", runs())
def test_results(name: str) -> None:
    run = runs()[name]
    program = shlo.compile(shlo.parse(run.text), entry=run.op, engine="numpy")
    given = [argument.copy() for argument in run.arguments]
    for _ in range(2):  # the second run finds what the first has left
        apart = [distance(*pair) for pair in zip(program(*given), run.results, strict=True)]
        assert max(apart) <= SIGN_OF_ZERO
    assert all(map(np.array_equal, given, run.arguments)), "arguments are changed"
