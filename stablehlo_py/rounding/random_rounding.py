"""Random rounding: runs whose ops round up or down at random, and the digits that their values share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stablehlo_py.ir.element_types import FLOATS, numpy_dtype
from stablehlo_py.ir.types import FloatType
from stablehlo_py.rounding.measures import Array, Measures
from stablehlo_py.rounding.shadowed import Shadowed, format_of, widened
from stablehlo_py.rounding.steps import ShadowedStep

RUNS = 8


class RandomStep(ShadowedStep):
    """A step of several runs in the wide type, each of which rounds at random to the program's type.

    The wide value of a result has a leading dimension, of the runs. They follow the program's control flow.
    """

    has_shapes = False

    def _shadow(
        self, operands: list[Shadowed], results: tuple[Any, ...], inexact: list[Shadowed]
    ) -> tuple[Shadowed, ...]:
        """Return the results with those of the runs."""
        mine = [widened(x.narrow, self._dtype) for x in operands]
        runs = [
            self._run_wide([m if x.wide is None else x.wide[i] for x, m in zip(operands, mine, strict=True)])
            for i in range(RUNS)
        ]
        found = zip(results, zip(*runs, strict=True), strict=True)
        return tuple([self._result(index, y1, np.stack(values)) for index, (y1, values) in enumerate(found)])

    def _result(self, index: int, y1: Any, values: Array) -> Shadowed:
        if not format_of(y1):
            return self._discrete(index, y1, (values != y1).any(axis=0))
        if not self._moves:
            values = round_at_random(values, format_of(y1), self._shadowing.generator)
        error = deviation(values)
        if not self._moves:
            row = self._shadowing.row(self._op, index, format_of(y1))
            found = Measures(0.0, error, 0.0, 0.0, 0.0)
            if row.adds(found):
                row.put(found, 0.0, 0.0, tuple(self._shadowing.loops))
        return Shadowed(y1, values, error=error)


def round_at_random(values: Array, format: str, generator: np.random.Generator) -> Array:
    """Return numbers rounded up or down, each with a probability in proportion to its nearness.

    Args:
        values: The numbers, in f64.
        format: The name of the type that they are rounded to.
        generator: The source of random numbers.
    """
    type = FLOATS[format]
    with np.errstate(all="ignore"):
        _, exponents = np.frexp(values)
        least = round(math.log2(type.least_normal)) + 1
        unit = np.ldexp(1.0, np.maximum(exponents, least) - type.significand)
        chosen = np.floor(values / unit + generator.random(values.shape)) * unit
        chosen = np.where(np.isfinite(values), np.copysign(chosen, values), values)  # -0 stays -0
        found: Array = chosen.astype(numpy_dtype(FloatType(format))).astype(values.dtype)
    return found


def deviation(values: Array) -> float:
    """Return the standard deviation over the first dimension relative to the mean, as root mean squares."""
    with np.errstate(all="ignore"):
        spread = math.sqrt(float(np.mean(np.var(values, axis=0, ddof=1)))) if values.size else 0.0
        norm = math.sqrt(float(np.mean(np.mean(values, axis=0) ** 2))) if values.size else 0.0
    if math.isnan(spread):
        return math.inf
    return 0.0 if not spread else spread / norm if norm else math.inf
