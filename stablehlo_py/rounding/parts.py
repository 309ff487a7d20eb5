"""The parts of an error: which ops have introduced it, carried on along the way to the results.

In programs of few ops, a value has the signed parts of its error at some of its elements, a row for each op.
Elementwise ops carry them on by their slopes, exactly to first order; other ops by the norms of errors, with
signs at random. In larger programs, a value has the shares of the ops alone: the mean squares of the parts,
relative to that of the value, which add up as errors that are independent of each other do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from stablehlo_py.rounding.measures import Array, relative, rms
from stablehlo_py.rounding.shadowed import LIMIT, Shadowed, widened

FEW = 32  # ops of a program whose values have signed parts
_MOST = 1e38  # in f32
BEYOND = 10.0  # times the error of a value: parts that are no predictions
_ENTRIES = 1 << 15  # of the parts of a value


def gone(value: Shadowed, groups: Sequence[Sequence[int]]) -> list[float]:
    """Return how much of the relative error of a value goes away if groups of ops introduce none.

    Signed parts that grow beyond the error, as in chaotic programs, are scaled to it. No group is empty.
    """
    if value.parts is None:
        return [0.0] * len(groups)
    if value.parts.ndim == 2:
        norm, total = value.norm(value.parts.dtype), value.parts.sum(axis=0)
        rest = [rms(total - value.parts[list(ops)].sum(axis=0)) for ops in groups]
        excess = predicted(value) / value.error if value.error else 0.0
        scale = 1.0 / excess if excess > BEYOND else 1.0
        return [relative(rms(total) - each, norm) * scale for each in rest]
    sizes = [len(ops) for ops in groups]
    sums = np.add.reduceat(
        value.parts[np.fromiter(chain(*groups), np.intp)], np.cumsum([0, *sizes[:-1]]), dtype=np.float64
    )
    whole = value.parts.sum(dtype=np.float64)
    found: list[float] = (np.sqrt(whole) - np.sqrt(np.maximum(whole - sums, 0.0))).tolist()
    return found


def predicted(value: Shadowed) -> float:
    """Return the relative error of a value that its parts make together."""
    if value.parts is None:
        return 0.0
    if value.parts.ndim == 1:
        return math.sqrt(value.parts.sum())
    return relative(rms(value.parts.sum(axis=0)), value.norm(value.parts.dtype))


def sample(value: Any, count: int) -> Array:
    """Return some elements of an array, or all of a smaller one, as a vector."""
    array = np.asarray(value)
    if array.size <= count:
        return array.reshape(-1)
    elements = array.reshape(-1) if array.flags.c_contiguous else array.flat  # which copies nothing
    return elements[_positions(array.size, count)]


@lru_cache(64)
def _positions(size: int, count: int) -> Array:
    return np.arange(count) * size // count


def element_count(size: int, ops: int) -> int:
    """Return of how many elements a value has signed parts, in a program of so many ops."""
    return min(size, _ENTRIES // max(1, ops))


def carried_by_slopes(
    call: Callable[..., Any], operands: Sequence[Shadowed], dtype: np.dtype[Any], shape: tuple[int, int]
) -> Array:
    """Return the parts that an elementwise op carries on.

    Args:
        call: The op in the wide type.
        operands: The operands.
        dtype: The wide type.
        shape: The numbers of ops and elements.
    """
    mine = [widened(sample(x.narrow, shape[1]), dtype) for x in operands]
    wide = [m if x.wide is None else sample(x.wide, shape[1]) for x, m in zip(operands, mine, strict=True)]
    base, found = call(*wide), np.zeros(shape, dtype)
    for x in dict.fromkeys(operands):
        if x.parts is None:
            continue
        at = operands.index(x)
        least = np.sqrt(np.finfo(dtype).eps) * (np.abs(wide[at]) + x.norm(dtype))
        error = np.clip(mine[at] - wide[at], -LIMIT, LIMIT)
        step = np.where(np.abs(error) < least, least, error)
        moved = call(*[w + step if o is x else w for o, w in zip(operands, wide, strict=True)])
        found += (moved - base) / step * x.parts
    return found


def at_random(norms: Array, error: Array, generator: np.random.Generator) -> Array:
    """Return parts of given norms, with random signs, in proportion to an error of elements."""
    whole = rms(error)
    profile = np.abs(error) / whole if whole and np.isfinite(whole) else np.ones_like(error)
    found: Array = norms[:, None] * profile
    found *= generator.integers(2, size=found.shape, dtype=np.int8) * np.int8(2) - np.int8(1)
    return found


def of_norm(parts: Array, norm: float) -> Array:
    """Return the errors of some elements in proportion to those of all, of which the norm is given."""
    mine = rms(parts)
    if not mine or not np.isfinite(mine):
        return np.full_like(parts, min(norm, LIMIT))
    return parts * (norm / mine)


def same(inexact: Sequence[Shadowed], elements: Array, size: int) -> Shadowed | None:
    """Return the only operand with an error, if a result has its elements in their order."""
    (only,) = inexact if len(inexact) == 1 else (None,)
    if only is None or np.size(only.narrow) != size:
        return None
    return only if np.array_equal(sample(only.narrow, elements.size), elements) else None


def carried_shares(gains: Mapping[Shadowed, float], carried: float) -> Array | None:
    """Return the shares that an op carries on from operands with errors; None if there are none.

    Args:
        gains: How much larger the relative error of the result is, for that of each operand alone.
        carried: The relative error of the result due to all, to which the parts are scaled: errors of
            operands that stem from the same ops add up or cancel.
    """
    most = min(max(gains.values(), default=0.0), LIMIT)
    given = [(x, min(gain, LIMIT) / most) for x, gain in gains.items() if gain > 0 and x.total]
    total = sum([weight * weight * x.total for x, weight in given])
    if not total or not math.isfinite(total):
        return None
    scale = min(carried, LIMIT) ** 2 / total
    found = [x.shares() * min(weight * weight * scale, _MOST) for x, weight in given]
    return found[0] if len(found) == 1 else np.add.reduce(found)
