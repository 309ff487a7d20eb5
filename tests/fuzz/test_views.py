"""Programs of views: the native engine gives what the NumPy engine gives, whatever its memory holds."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("llvmlite")

from views import differences, drawn

import stablehlo_py as shlo

SEED = 20


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 120, 40))
def test_programs(first: int) -> None:
    assert differences(SEED, range(first, first + 40), quick=True) == []


@pytest.mark.slow
def test_programs_with_optimizations() -> None:
    assert differences(SEED, range(1000, 1020), quick=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("quick", [True, False])
def test_many_programs(quick: bool) -> None:
    """More of them: `python tests/fuzz/views.py --count N`."""
    assert differences(SEED, range(2000, 2250), quick) == []


def test_what_is_drawn() -> None:
    """Programs are valid, and have all views, producers of every cost, and values that are no results."""
    programs = [drawn(SEED, number) for number in range(60)]
    assert not any(shlo.verify(program.module) for program in programs)
    names = Counter(op.name for program in programs for op in program.module.walk())
    views = ("reshape", "transpose", "reverse", "slice", "pad", "concatenate", "broadcast_in_dim")
    producers = ("add", "power", "round_nearest_even", "reduce", "reduce_window", "dot_general", "sort")
    assert not {name for name in (*views, *producers) if not names[f"stablehlo.{name}"]}
    kept = [len(program.results) for program in programs]
    made = [len(program.module.functions["main"].regions[0].block.ops) - 1 for program in programs]
    assert 0.3 < sum(kept) / sum(made) < 0.6
