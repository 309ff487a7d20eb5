"""Padding of windows by the document's names."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from stablehlo_py.builder.errors import BuildError

Pairs = Sequence[tuple[int, int]]


class Padding(Enum):
    """Padding::kSame and Padding::kValid; the texts "SAME" and "VALID" do as well."""

    kSame = "SAME"
    kValid = "VALID"


def padding_pairs(
    padding: Padding | str | Pairs,
    sizes: Sequence[int | None],
    window: Sequence[int],
    strides: Sequence[int],
) -> list[tuple[int, int]]:
    """Low and high padding for each dimension of an array of these sizes.

    SAME: as much as gives ceil(size / stride) windows, an odd one at the high end. `window` are the
    windows' sizes, dilation included. Raises BuildError for another name.
    """
    if not isinstance(padding, Padding | str):
        return [(int(low), int(high)) for low, high in padding]
    name = padding.value if isinstance(padding, Padding) else padding.upper()
    if name == "VALID":
        return [(0, 0)] * len(window)
    if name != "SAME":
        raise BuildError(f"{padding!r} is no padding; SAME, VALID and pairs (low, high) are")
    return [_same(*each) for each in zip(sizes, window, strides, strict=True)]


def _same(size: int | None, window: int, stride: int) -> tuple[int, int]:
    if size is None:
        raise BuildError("SAME padding needs dimensions whose sizes are known")
    count = -(-size // stride)
    total = max((count - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


def pairs_array(pairs: Pairs) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Pairs as the array that StableHLO's `padding` is."""
    return np.array(pairs, np.int64).reshape(-1, 2)
