"""Random shapes, and helpers shared by families."""

from __future__ import annotations

from typing import Any

import numpy as np

Rng = np.random.Generator
Hints = dict[str, Any]
Shape = tuple[int, ...]
FEW = 15  # elements, of which every type but the narrowest has as many that are distinct
MANY = 80  # elements, for an op whose elements do not see each other


def draw_shape(rng: Rng, low: int = 0, high: int = 4, least: int = 0) -> Shape:
    """A shape of `low` to `high` dimensions; sizes are small, sometimes 0 or 1."""
    rank = int(rng.integers(low, high + 1))
    sizes = rng.choice([0, 1, 2, 3, 4, 5], rank, p=[0.04, 0.16, 0.2, 0.2, 0.2, 0.2])
    return tuple(int(max(least, size)) for size in sizes)


def subset(rng: Rng, count: int, of: int) -> list[int]:
    return sorted(rng.choice(of, count, replace=False).tolist()) if count else []


def arranged(rng: Rng, sizes: list[int]) -> tuple[Shape, list[int]]:
    """The sizes in some order, and where each of them went."""
    order = rng.permutation(len(sizes)).tolist()
    return tuple(sizes[i] for i in order), [order.index(i) for i in range(len(sizes))]


def draw_few(rng: Rng, low: int = 0) -> Shape:
    """A shape of so few elements that products of small integers do not overflow."""
    while np.prod(shape := draw_shape(rng, low)) > 40:
        pass
    return shape
