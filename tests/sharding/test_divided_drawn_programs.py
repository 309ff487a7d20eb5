"""Drawn programs that are divided give what they give undivided.

They have ops of most families with shardings of all kinds: axes and parts of axes, open and closed, with
priorities, replicated and unreduced axes, uneven shards, calls, loops, constraints and groups.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.ir.types import TensorType

PROGRAMS = Path(__file__).with_name("sets").joinpath("drawn.mlir").read_text().split("// -----\n")


def drawn(type: TensorType, draw: np.random.Generator) -> np.ndarray[Any, Any]:
    """Numbers of both signs; as indices, the first two places; as conditions, either."""
    match str(type.element_type):
        case "i32":
            return draw.integers(0, 2, type.shape).astype(np.int32)
        case "i1":
            return draw.integers(0, 2, type.shape).astype(bool)
    return draw.standard_normal(type.shape).astype(np.float32)


@pytest.mark.parametrize("text", PROGRAMS, ids=[str(number) for number in range(len(PROGRAMS))])
def test_results_are_those_of_the_undivided_program(text: str) -> None:
    module, draw = shlo.parse(text), np.random.default_rng(5)
    inputs = [drawn(each.type, draw) for each in module.functions["main"].regions[0].block.arguments]
    divided = shlo.compile(module, partition=True, engine="numpy")
    for found, expected in zip(divided(*inputs), shlo.run(module, inputs, engine="numpy"), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
