"""Positions in an array and in the buffer that holds it, as XLA's IndexUtil converts them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from stablehlo_py.layout.shape import Shape

Sizes = tuple[int, ...]


def linear_index(shape: Shape, index: Sequence[int]) -> int:
    """Where the element of a multidimensional index is in the buffer of a shape, in elements.

    Raises ValueError for an index that is not of the array.
    """
    sizes = shape.sizes
    if len(index) != len(sizes):
        raise ValueError(
            f"index {tuple(index)} has {len(index)} numbers for the {len(sizes)} dimensions of {shape}"
        )
    for number, (place, size) in enumerate(zip(index, sizes, strict=True)):
        if not 0 <= place < size:
            raise ValueError(f"index {place} of dimension {number} is not in 0 to {size - 1}, in {shape}")
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
    """The multidimensional index of an element of the buffer of a shape.

    What padding adds has an index too, that of the padded array. Raises ValueError for an index that is
    not in the buffer, or of what only fills up a tile.
    """
    sizes = buffer_sizes(shape)
    if not 0 <= linear < math.prod(sizes):
        raise ValueError(f"{linear} is not in the buffer of {shape}, which has {math.prod(sizes)} elements")
    given, position = linear, list[int]()
    for size in reversed(sizes):
        linear, place = divmod(linear, size)
        position.insert(0, place)
    for tile, before, _ in reversed(tilings(shape)):
        kept, depth = len(before) - len(tile), len(tile)
        outer, inner = position[kept : kept + depth], position[kept + depth :]
        position = [*position[:kept], *(o * t + i for o, t, i in zip(outer, tile, inner, strict=True))]
        if any(place >= size for place, size in zip(position, before, strict=True)):
            raise ValueError(f"element {given} of the buffer of {shape} fills up a tile: it has no index")
    by_number = dict(zip(shape.layout.major_to_minor, position, strict=True))
    return tuple(by_number[number] for number in range(shape.rank))


def buffer_sizes(shape: Shape) -> tuple[int, ...]:
    """The sizes of the array that lies in memory as it is: dimensions from major to minor, then tiles."""
    steps = tilings(shape)
    return steps[-1][2] if steps else _physical(shape)


def _physical(shape: Shape) -> tuple[int, ...]:
    """The padded sizes from major to minor."""
    widths = shape.layout.widths(shape.sizes)
    return tuple([widths[number] for number in shape.layout.major_to_minor])


def tilings(shape: Shape) -> list[tuple[Sizes, Sizes, Sizes]]:
    """Each tile of the layout with the sizes that it breaks, and those that this gives."""
    sizes, found = _physical(shape), []
    for tile in shape.layout.tiles:
        if len(tile) > len(sizes):
            raise ValueError(f"tile {tile} has more dimensions than there are to break, in {shape}")
        kept = len(sizes) - len(tile)
        counts = [-(-size // t) for size, t in zip(sizes[kept:], tile, strict=True)]
        after = (*sizes[:kept], *counts, *tile)
        found.append((tile, sizes, after))
        sizes = after
    return found
