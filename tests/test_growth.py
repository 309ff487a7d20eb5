"""The number of lines of Python that are executed grows in proportion to the program."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import stablehlo_py as shlo

sys.path.append(str(Path(__file__).parent / "benchmarks"))
from shapes import SHAPES

SIZES = (60, 240, 960)
STEPS: dict[str, Callable[[shlo.Module], Any]] = {
    "verify": shlo.verify,
    "print": str,
    "format": lambda module: shlo.format(module, canonical=False),
    "lint": shlo.lint,
    "bytecode": lambda module: shlo.serialize(module, "bytecode"),
}


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
