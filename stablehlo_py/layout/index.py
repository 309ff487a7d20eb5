"""Conversion between multidimensional indices and buffer positions, as in XLA's IndexUtil."""

from __future__ import annotations

import math
from collections.abc import Sequence

from stablehlo_py.layout.layout import COMBINED
from stablehlo_py.layout.shape import Shape

Sizes = tuple[int, ...]


def linear_index(shape: Shape, index: Sequence[int]) -> int:
    """Convert a multidimensional index to a position in the buffer of a shape.

    Args:
        shape: The shape, with a layout.
        index: An index for each dimension.

    Returns:
        The position, in elements.

    Raises:
        ValueError: If the index has another rank, or is out of range.
    """
    sizes = shape.sizes
    if len(index) != len(sizes):
        raise ValueError(f"expected {len(sizes)} indices for {shape}, got {len(index)}: {tuple(index)}")
    for number, (place, size) in enumerate(zip(index, sizes, strict=True)):
        if not 0 <= place < size:
            raise ValueError(
                f"index {place} is out of range for dimension {number} of size {size} of {shape}"
            )
    position = [index[number] for number in shape.layout.major_to_minor]
    for tile, before, _ in tilings(shape):
        kept = len(before) - len(tile)
        inner = list(zip(position[kept:], tile, strict=True))
        position = [*position[:kept], *(p // t for p, t in inner), *(p % t for p, t in inner)]
    linear = 0
    for place, size in zip(position, buffer_sizes(shape), strict=True):
        linear = linear * size + place
    return linear


def multi_index(shape: Shape, linear: int) -> tuple[int, ...]:
    """Convert a position in the buffer of a shape to a multidimensional index.

    Args:
        shape: The shape, with a layout.
        linear: The position, in elements.

    Returns:
        The index; for an element that is padding, its index in the padded array.

    Raises:
        ValueError: If the position is outside of the buffer, or is padding of a tile.
    """
    sizes = buffer_sizes(shape)
    if not 0 <= linear < math.prod(sizes):
        raise ValueError(f"position {linear} is out of range for the {math.prod(sizes)} elements of {shape}")
    given, position = linear, list[int]()
    for size in reversed(sizes):
        linear, place = divmod(linear, size)
        position.insert(0, place)
    for tile, before, _ in reversed(tilings(shape)):
        kept, depth = len(before) - len(tile), len(tile)
        outer, inner = position[kept : kept + depth], position[kept + depth :]
        position = [*position[:kept], *(o * t + i for o, t, i in zip(outer, tile, inner, strict=True))]
        if any(place >= size for place, size in zip(position, before, strict=True)):
            raise ValueError(
                f"position {given} of the buffer of {shape} is padding of a tile and has no index"
            )
    by_number = dict(zip(shape.layout.major_to_minor, position, strict=True))
    return tuple(by_number[number] for number in range(shape.rank))


def buffer_sizes(shape: Shape) -> tuple[int, ...]:
    """Return the sizes of the buffer as an array: dimensions from major to minor, then tile dimensions."""
    steps = tilings(shape)
    return steps[-1][2] if steps else _physical(shape)


def _physical(shape: Shape) -> tuple[int, ...]:
    """Return the padded sizes, from major to minor."""
    widths = shape.layout.widths(shape.sizes)
    return tuple([widths[number] for number in shape.layout.major_to_minor])


def tilings(shape: Shape) -> list[tuple[Sizes, Sizes, Sizes]]:
    """Return each tile of the layout with the sizes before and after tiling."""
    sizes, found = _physical(shape), []
    for tile in shape.layout.tiles:
        if COMBINED in tile:
            raise ValueError(f"the tile of {shape} combines dimensions, which is not supported")
        if len(tile) > len(sizes):
            raise ValueError(f"tile {tile} has more dimensions than {shape}")
        kept = len(sizes) - len(tile)
        counts = [-(-size // t) for size, t in zip(sizes[kept:], tile, strict=True)]
        after = (*sizes[:kept], *counts, *tile)
        found.append((tile, sizes, after))
        sizes = after
    return found
