"""The number of lines of Python that are executed grows in proportion to the program."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.compare_programs import compare_programs
from stablehlo_py.diagnostics.alignment import align
from stablehlo_py.ir.attributes import UnitAttr

sys.path.append(str(Path(__file__).parent / "benchmarks"))
from shapes import SHAPES

SIZES = (60, 240, 960)
STEPS: dict[str, Callable[[shlo.Module], Any]] = {
    "verify": shlo.verify,
    "print": str,
    "format": lambda module: shlo.format(module, canonical=False),
    "lint": shlo.lint,
    "bytecode": lambda module: shlo.serialize(module, "bytecode"),
    "diff": lambda module: compare_programs(module, changed(module)),
}


def changed(module: shlo.Module) -> shlo.Module:
    """A copy in which every seventh op has another attribute."""
    copy = shlo.parse(str(module), allow_unregistered=True)
    for index, op in enumerate(copy.walk()):
        if index % 7 == 3:
            op.attributes["mark"] = UnitAttr()
    return copy


def lines(work: Callable[[], Any]) -> int:
    """Count the lines that are executed, those of each iteration as well."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def exponent(counts: list[int]) -> float:
    """The exponent between the sizes, without what does not depend on the size."""
    small, large = counts[1] - counts[0], counts[2] - counts[1]
    return math.log(max(large, 1) / max(small, 1)) / math.log(SIZES[2] / SIZES[1])


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("shape", ["chain", "blocks", "functions", "constants", "regions"])
def test_growth(shape: str, step: str) -> None:
    counts = []
    for size in (10, *SIZES):
        module = shlo.parse(SHAPES[shape](size), allow_unregistered=True)
        counts.append(lines(lambda module=module: STEPS[step](module)))  # type: ignore[misc]
    assert exponent(counts[1:]) <= 1.15


@pytest.mark.parametrize("order", ["equal", "reversed", "shuffled", "periodic", "random", "one item"])
def test_growth_of_alignment(order: str) -> None:
    for size in (1000, 8000):
        drawn, numbers = random.Random(size), list(range(size))
        pairs: dict[str, tuple[list[int], list[int]]] = {
            "equal": (numbers, numbers),
            "reversed": (numbers, numbers[::-1]),
            "shuffled": (numbers, drawn.sample(numbers, size)),
            "periodic": ([n % 7 for n in numbers], [n % 7 + (n % 100 == 3) for n in numbers]),
            "random": ([drawn.randrange(9) for _ in numbers], [drawn.randrange(9) for _ in numbers]),
            "one item": ([0] * size, [1, *[0] * (2 * size), 1]),
        }
        a, b = pairs[order]
        assert lines(lambda a=a, b=b: list(align(a, b))) <= 80 * size  # type: ignore[misc]
