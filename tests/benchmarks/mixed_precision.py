"""How close `shlo.precision` comes to the smallest set of wide ops, which an exhaustive search finds.

    python tests/benchmarks/mixed_precision.py [COUNT] [FIRST_SEED]

Draws programs of at most 12 float ops, and a tolerance for which some of them have to be wide, but not all.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
import stablehlo_py as shlo
from tests.rounding.drawn import draw, inputs

EXACT = ("negate", "abs")


def error(module: shlo.Module, kept: Sequence[str], given: list[Any], expected: Any) -> float:
    """The error of the program in which some values are computed in f32."""
    made = shlo.opt(module, [f"narrow=type=bf16 keep={','.join(['signature', *kept])}"])
    (found,) = shlo.run(made, given, engine="numpy")
    with np.errstate(all="ignore"):
        return math.sqrt(np.mean((found - expected) ** 2.0) / np.mean(expected**2.0))


def smallest(module: shlo.Module, names: list[str], rtol: float, given: list[Any], expected: Any) -> int:
    """The size of the smallest set of ops that holds the tolerance."""
    for size in range(len(names)):
        for kept in combinations(names, size):
            if error(module, kept, given, expected) <= rtol:
                return size
    return len(names)


def row(seed: int) -> tuple[int, int, int] | None:
    """The sizes of the set that is found and of the smallest one, and the number of runs, of a program."""
    rng = np.random.default_rng([seed, 77])
    module = shlo.parse(draw(rng, "f32", int(rng.integers(4, 11))))
    given = inputs(rng, "f32")
    names = [
        str(op.results[0])
        for op in module.walk()
        if op.results and not op.name.endswith(EXACT) and op.operands
    ]
    (expected,) = shlo.run(module, given, engine="numpy")
    narrow = error(module, (), given, expected)
    if len(names) > 12 or not np.isfinite(expected).all() or not 1e-4 < narrow < 1:
        return None
    rtol = narrow * float(rng.choice([0.1, 0.25, 0.5, 0.7, 0.9]))
    best = smallest(module, names, rtol, given, expected)
    if best in (0, len(names)):
        return None
    found = shlo.precision(module, [given], rtol=rtol)
    assert found.ok
    assert len(found.kept) >= best
    return len(found.kept), best, found.runs


def main(count: int, seed: int) -> None:
    """Print a line for each program, and the mean."""
    ratios: list[float] = []
    while len(ratios) < count:
        made = row(seed)
        if made is not None:
            ratios.append(made[0] / made[1])
            print(f"seed {seed}: {made[0]} ops, best {made[1]}, {made[2]} runs", flush=True)
        seed += 1
    print(f"{count} programs: {np.mean(ratios):.3f} times the ops of the best set, at most {max(ratios):.2f}")


if __name__ == "__main__":
    main(*[int(each) for each in sys.argv[1:3]], *(50, 0)[len(sys.argv) - 1 :])
