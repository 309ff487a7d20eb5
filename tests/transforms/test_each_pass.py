"""Every pass on every valid program: no exception but a refusal, a valid program, the same results."""

from __future__ import annotations

import pytest
from conftest import ROOT
from each_pass import check  # beside this file

import stablehlo_py as shlo
from stablehlo_py.debug.generate.programs import Request, generate


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("number", range(3))
def test_drawn_programs(number: int, dynamic: bool) -> None:
    drawn = generate(21, number, Request(ops=8, dynamic=dynamic))
    check(shlo.parse(str(drawn.module)), drawn.arguments)


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_many_drawn_programs(dynamic: bool) -> None:
    for number in range(16):
        drawn = generate(22, number, Request(ops=15, dynamic=dynamic))
        check(shlo.parse(str(drawn.module)), drawn.arguments)


@pytest.mark.slow
def test_examples_of_the_specification() -> None:
    """Some of them: `tests/gates/samples.py` does the same with upstream's programs."""
    for path in sorted((ROOT / "testdata" / "spec").glob("*.mlir"))[::4]:
        check(shlo.load(path))
