"""Ranges of values by interval arithmetic: monotone ops map the ends of a range to ends of another one."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from stablehlo_py.engines.native.loop_ir.expressions import Apply, Constant, Expression
from stablehlo_py.ir.types import FloatType

Range = tuple[float, float]
ANY: Range = (-math.inf, math.inf)
_MONOTONE: dict[str, Callable[..., float]] = {  # in each operand
    "stablehlo.ceil": np.ceil,
    "stablehlo.clamp": lambda low, x, high: min(max(low, x), high),
    "stablehlo.floor": np.floor,
    "stablehlo.maximum": max,
    "stablehlo.minimum": min,
    "stablehlo.round_nearest_even": np.rint,
}


def range_of(value: Expression) -> Range:
    """The least and the greatest number that a float can be if it is not NaN."""
    if not isinstance(value.type, FloatType):
        return ANY
    if isinstance(value, Constant) and not np.isnan(value.value):
        return float(value.value), float(value.value)
    if not isinstance(value, Apply) or value.op not in _MONOTONE:
        return ANY
    if len([each for each in value.arguments if not isinstance(each, Constant)]) > 1:
        return ANY  # of shared operands, each would be visited once for each path to it
    ranges = [range_of(each) for each in value.arguments]
    least, greatest = (_MONOTONE[value.op](*ends) for ends in zip(*ranges, strict=True))
    return float(least), float(greatest)
