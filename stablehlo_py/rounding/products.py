"""Products of a shadow run with a long exact operand, as of weights, which is widened block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from stablehlo_py.interpreter.plan import Step
from stablehlo_py.rounding.measures import Array
from stablehlo_py.rounding.shadowed import Shadowed, widened

LONG = 1 << 22  # elements: longer operands are not kept in the wide type
_BLOCK = 1 << 18  # elements that are widened at once: the last cache holds them
_SIDES = ("lhs", "rhs")


class LongFactor(NamedTuple):
    """A long exact operand of a product.

    Attributes:
        side: Its number: 0 for the left one, 1 for the right one.
        dimension: A dimension of it whose elements are no terms.
        place: The same dimension of the result.
    """

    side: int
    dimension: int
    place: int


def long_factor(step: Step, operands: Sequence[Shadowed]) -> LongFactor | None:
    """Return the long exact operand of a product, if there is one."""
    if "lhs_contracting_dimensions" not in step.keywords or len(operands) != len(_SIDES):
        return None
    sizes = [np.size(x.narrow) if x.wide is None else 0 for x in operands]
    side = int(np.argmax(sizes))
    free = [_free(step.keywords, name, np.ndim(x.narrow)) for name, x in zip(_SIDES, operands, strict=True)]
    if sizes[side] < LONG or not free[side]:
        return None
    dimension = max(free[side], key=lambda d: int(np.shape(operands[side].narrow)[d]))
    before = len(step.keywords["lhs_batching_dimensions"]) + side * len(free[0])
    return LongFactor(side, dimension, before + free[side].index(dimension))


def _free(keywords: Mapping[str, Any], name: str, rank: int) -> list[int]:
    taken = {*keywords[f"{name}_batching_dimensions"], *keywords[f"{name}_contracting_dimensions"]}
    return [d for d in range(rank) if d not in taken]


def products(
    call: Callable[..., Any], factor: LongFactor, long: Array, others: Sequence[Array]
) -> Iterator[tuple[Any, ...]]:
    """Multiply a long operand with others, block by block.

    Args:
        call: The product in the wide type.
        factor: Where the long operand is.
        long: The long operand, in its own type.
        others: Other operands in the wide type, each for a product.

    Yields:
        The index of a block in the products, and its elements of each.
    """
    for part, block in blocks(long, factor.dimension, others[0].dtype):
        found = [call(other, block) if factor.side else call(block, other) for other in others]
        yield (slice(None),) * factor.place + (part,), *found


def blocks(array: Array, dimension: int, dtype: np.dtype[Any]) -> Iterator[tuple[slice, Array]]:
    """Yield an array in the wide type, in blocks along a dimension."""
    extent = array.shape[dimension]
    step = max(1, _BLOCK * extent // max(1, array.size))
    for at in range(0, extent, step):
        part = slice(at, at + step)
        yield part, widened(array[(slice(None),) * dimension + (part,)], dtype)
