"""Cancellation: how much larger the terms of a sum are than the sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from stablehlo_py.interpreter.plan import Step
from stablehlo_py.opset.definition import has_trait, lookup
from stablehlo_py.rounding.measures import Array
from stablehlo_py.rounding.shadowed import Shadowed, widened

Terms = Callable[[Sequence[Shadowed], np.dtype[Any]], float]
"""What gives the root mean square of the largest term from the operands and the wide type."""


def cancelled_bits(term: float, norm: float) -> float:
    """Return log2 of a term relative to the result, from their root mean squares; 0 if it is smaller."""
    if term <= norm:
        return 0.0
    return math.log2(term / norm) if norm else math.inf


def terms_of(step: Step) -> Terms | None:
    """Return what gives the largest term of a sum, difference or product; None for other ops."""
    assert step.definition is not None
    work = step.definition.cost.work
    if step.definition.operator in ("+", "-") and has_trait(step.name, "elementwise"):
        return lambda operands, dtype: max([x.norm(dtype) for x in operands])
    if work == "contraction" and "lhs_contracting_dimensions" in step.keywords:
        sides = [step.keywords[f"{side}_contracting_dimensions"] for side in ("lhs", "rhs")]
        return partial(_largest_product, sides)
    if work == "reduction" and len(step.ins) == 2 and _adds(step):
        return partial(_largest_of_sum, step.keywords["dimensions"])
    return None


def _largest_product(
    sides: Sequence[Sequence[int]], operands: Sequence[Shadowed], dtype: np.dtype[Any]
) -> float:
    lhs, rhs = [_norms(_wide(x, dtype), kept) for x, kept in zip(operands, sides, strict=True)]
    return float(np.max(lhs * rhs, initial=0.0))


def _largest_of_sum(kept: Sequence[int], operands: Sequence[Shadowed], dtype: np.dtype[Any]) -> float:
    terms, start = operands
    return float(np.max(_norms(_wide(terms, dtype), kept), initial=start.norm(dtype)))


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
