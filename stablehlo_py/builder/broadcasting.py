"""XLA's implicit broadcasting, which StableHLO does not have.

Two arrays are compatible if they have the same shape; if one is a scalar; or if they have the same rank and
sizes that differ only where one of them is 1 (degenerate dimensions). Arrays of different ranks require
`broadcast_dimensions`, which maps each dimension of the lower rank to one of the higher rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from stablehlo_py.builder.arguments import integers
from stablehlo_py.builder.errors import BuildError
from stablehlo_py.builder.shape import shape_text
from stablehlo_py.ir.types import Shape, TensorType

Dimensions = tuple[int, ...]


def broadcast(
    lhs: TensorType, rhs: TensorType, broadcast_dimensions: Sequence[int]
) -> tuple[Shape, Dimensions, Dimensions]:
    """Compute the broadcast shape of two arrays.

    Args:
        lhs: The type of the first array.
        rhs: The type of the second array.
        broadcast_dimensions: The map from the dimensions of the lower rank to those of the higher rank.

    Returns:
        The shape, and for each array the dimensions of the shape that its own map to.

    Raises:
        BuildError: If the arrays are incompatible.
    """
    given = tuple(integers(broadcast_dimensions, "broadcast_dimensions"))
    if lhs.rank == rhs.rank:
        if given not in ((), tuple(range(lhs.rank))):
            raise BuildError(
                f"broadcast_dimensions {list(given)} of arrays of equal rank must be {_axes(lhs)}"
            )
        both = _axes(lhs), _axes(rhs)
    elif lhs.rank < rhs.rank:
        both = _mapped(lhs, rhs, given), _axes(rhs)
    else:
        both = _axes(lhs), _mapped(rhs, lhs, given)
    return _joined(lhs, rhs, *both), *both


def _axes(type: TensorType) -> Dimensions:
    return tuple(range(type.rank))


def _mapped(lower: TensorType, higher: TensorType, dimensions: Dimensions) -> Dimensions:
    """Return the dimensions of `higher` that those of `lower` map to."""
    if len(dimensions) != lower.rank:
        hint = f"expected {lower.rank} dimensions of the second array, one for each of the first"
        raise BuildError(
            f"{shape_text(lower)} and {shape_text(higher)} have different ranks: "
            f"broadcast_dimensions is {list(dimensions)}; {hint}"
        )
    is_rising = all(a < b for a, b in pairwise(dimensions))
    if not is_rising or any(not 0 <= d < higher.rank for d in dimensions):
        raise BuildError(
            f"broadcast_dimensions {list(dimensions)} must be strictly increasing "
            f"dimensions of {shape_text(higher)}"
        )
    return dimensions


def _joined(lhs: TensorType, rhs: TensorType, left: Dimensions, right: Dimensions) -> Shape:
    sizes: list[int | None] = [1] * max(lhs.rank, rhs.rank)
    for type, dimensions in ((lhs, left), (rhs, right)):
        for size, dimension in zip(type.shape, dimensions, strict=True):
            if sizes[dimension] not in (1, size) and size != 1:
                raise BuildError(
                    f"{shape_text(lhs)} and {shape_text(rhs)} are incompatible: "
                    f"the sizes {sizes[dimension]} and {size} in dimension {dimension} differ, and none is 1"
                )
            sizes[dimension] = size if sizes[dimension] == 1 else sizes[dimension]
    return tuple(sizes)
