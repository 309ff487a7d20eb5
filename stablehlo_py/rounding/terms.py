"""Cancellation: how much larger the terms of a sum are than the sum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from stablehlo_py.interpreter.plan import Step
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.rounding.measures import Array
from stablehlo_py.rounding.shadowed import Shadowed, widened


def cancelled_bits(step: Step, operands: Sequence[Shadowed], dtype: np.dtype[Any], norm: float) -> float:
    """Return log2 of the largest term of a sum, difference or product, relative to the result.

    Args:
        step: The step.
        operands: Its operands.
        dtype: The wide type.
        norm: The root mean square of the result.

    Returns:
        The bits; 0 for other ops, or if the terms are smaller than the result.
    """
    largest = max(_terms(step, operands, dtype), default=0.0)
    if largest <= norm:
        return 0.0
    return math.log2(largest / norm) if norm else math.inf


def _terms(step: Step, operands: Sequence[Shadowed], dtype: np.dtype[Any]) -> Iterator[float]:
    """Yield the root mean squares of the terms."""
    assert step.definition is not None
    if step.definition.operator in ("+", "-") and has_trait(step.name, "elementwise"):
        yield from [x.norm(dtype) for x in operands]
    elif step.definition.cost.work == "contraction" and "lhs_contracting_dimensions" in step.keywords:
        lhs, rhs = [
            _norms(_wide(x, dtype), step.keywords[f"{side}_contracting_dimensions"])
            for side, x in zip(("lhs", "rhs"), operands, strict=True)
        ]
        yield float(np.max(lhs * rhs, initial=0.0))
    elif step.definition.cost.work == "reduction" and len(operands) == 2 and _adds(step):
        yield float(np.max(_norms(_wide(operands[0], dtype), step.keywords["dimensions"]), initial=0.0))
        yield operands[1].norm(dtype)


def _wide(value: Shadowed, dtype: np.dtype[Any]) -> Array:
    found: Array = widened(value.narrow, dtype) if value.wide is None else value.wide
    return found


def _adds(step: Step) -> bool:
    """Test whether the region of a reduction is a sum."""
    inner = [lookup(each.name) for plan in step.plans for each in plan.steps]
    return len(inner) == 1 and inner[0] is not None and inner[0].operator == "+"


def _norms(array: Array, kept: Sequence[int]) -> Array:
    """Return the root mean square over all dimensions but some, which come first in the result."""
    others = [d for d in range(array.ndim) if d not in kept]
    count = math.prod(array.shape[d] for d in others)
    order = [*kept, *others]
    flat = array.transpose(order).reshape(*(array.shape[d] for d in kept), count)
    found: Array = np.sqrt(np.einsum("...i,...i->...", flat, flat) / max(1, count))
    return found
