"""Random programs of many ops, with nested regions, against XLA: all results are equal."""

from __future__ import annotations

import numpy as np
import pytest

import stablehlo_py as shlo
from tests.helpers.soak import DRAWS

pytest.importorskip("jaxlib")
pytest.importorskip("jax")

from stablehlo_py.debug.generate.programs import COVERED, Program, draw_program
from tests.helpers.agreement import distance
from tests.helpers.xla_batch import Function, Rejected, Xla

SEED = 7
AT_ONCE = 8  # programs in one module
STEPS = 50
SIGN_OF_ZERO = 0.5  # in ULPs: XLA multiplies by 0 without it


def drawn(batch: int) -> list[Program]:
    numbers = range(batch * AT_ONCE, (batch + 1) * AT_ONCE)
    return [draw_program(np.random.default_rng([SEED, i]), f"program{i}", STEPS) for i in numbers]


def function_of(program: Program) -> Function:
    text = "\n".join(shlo.format(program.module, generic=True).strip().splitlines()[1:-1])
    inputs, results = (tuple(map(str, types)) for types in (program.inputs, program.results))
    return Function(program.name, text, inputs, results, program.arguments)


@pytest.mark.parametrize("batch", range(5 * DRAWS))
def test_programs(batch: int, xla: Xla) -> None:
    programs = drawn(batch)
    assert [shlo.verify(program.module) for program in programs] == [[]] * AT_ONCE
    for program, theirs in zip(programs, xla.run(list(map(function_of, programs))), strict=True):
        assert not isinstance(theirs, Rejected), f"{program.name}: {theirs}"
        run = shlo.compile(program.module, entry=program.name)
        given = [argument.copy() for argument in program.arguments]
        for _ in range(2):  # the second run finds what the first has left
            ours = run(*given)
            apart = [distance(*pair) for pair in zip(ours, theirs, strict=True)]
            assert max(apart) <= SIGN_OF_ZERO, f"{program.name}\n{shlo.format(program.module)}"
        assert all(map(np.array_equal, given, program.arguments)), f"{program.name} changes its arguments"


def test_all_kinds_of_ops_are_drawn() -> None:
    found = {op.name for batch in range(5) for program in drawn(batch) for op in program.module.walk()}
    assert found >= COVERED
