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
from stablehlo_py.rounding.products import blocks
from stablehlo_py.rounding.shadowed import Shadowed

Terms = Callable[[Sequence[Shadowed], Sequence[Array]], float]
"""What gives the root mean square of the largest term from the operands and their arrays in the wide type.

Of a product, a long exact operand may be in its own type.
"""


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
        return lambda operands, wide: max([x.norm(y.dtype) for x, y in zip(operands, wide, strict=True)])
    if work == "contraction":
        sides = [step.keywords[f"{side}_contracting_dimensions"] for side in ("lhs", "rhs")]
        return partial(_largest_product, sides)
    if work == "reduction" and len(step.ins) == 2 and _adds(step):
        return partial(_largest_of_sum, step.keywords["dimensions"])
    return None


def _largest_product(
    sides: Sequence[Sequence[int]], operands: Sequence[Shadowed], wide: Sequence[Array]
) -> float:
    dtype = max([array.dtype for array in wide], key=lambda each: each.itemsize)
    lhs, rhs = [_norms(array, kept, dtype) for array, kept in zip(wide, sides, strict=True)]
    return float(np.max(lhs * rhs, initial=0.0))


def _largest_of_sum(kept: Sequence[int], operands: Sequence[Shadowed], wide: Sequence[Array]) -> float:
    return float(np.max(_norms(wide[0], kept, wide[0].dtype), initial=operands[1].norm(wide[0].dtype)))


def _adds(step: Step) -> bool:
    """Test whether the region of a reduction is a sum."""
    inner = [lookup(each.name) for plan in step.plans for each in plan.steps]
    return len(inner) == 1 and inner[0] is not None and inner[0].operator == "+"


def _norms(array: Array, kept: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """Return the root mean square over all dimensions but some, which come first in the result."""
    dims = [*range(array.ndim)]
    summed = [d for d in dims if d not in kept]
    count = math.prod(array.shape[d] for d in summed)
    longest = max(summed, key=lambda d: array.shape[d], default=None)
    parts = iter([array]) if longest is None else (part for _, part in blocks(array, longest, dtype))
    squares = sum(np.einsum(part, dims, part, dims, kept) for part in parts)
    found: Array = np.sqrt(squares / max(1, count))
    return found
