"""Arrays of results, in the memory of earlier results without references: its pages are resident."""

from __future__ import annotations

from math import prod
from sys import getrefcount
from threading import Lock
from typing import Any

import numpy as np

_LEAST = 1 << 19  # bytes: the allocator itself keeps the pages of smaller arrays
_MOST_KEPT = 1 << 25  # bytes of all memory that is kept, for results in use or later ones


class ResultMemory:
    """Memory of results, which is reused when no view of a result refers to it.

    Args:
        most: The largest number of bytes that are kept.
    """

    def __init__(self, most: int = _MOST_KEPT) -> None:
        self._most = most
        self._kept: list[Any] = [np.empty(0, np.uint8)]
        self._lock = Lock()
        self._unused = self._references(0)
        self._kept.clear()

    def new_array(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Return an array whose elements are not set.

        Args:
            shape: The shape.
            dtype: The element type.
        """
        size = prod(shape) * dtype.itemsize
        if not _LEAST <= size <= self._most:
            return np.empty(shape, dtype)
        with self._lock:
            return np.ndarray(shape, dtype, self._memory(size))

    def _memory(self, size: int) -> Any:
        unused = [at for at in range(len(self._kept)) if self._references(at) <= self._unused]
        fitting = [at for at in unused if self._kept[at].size == size]
        if fitting:
            return self._kept[fitting[0]]
        memory = np.empty(size, np.uint8)
        total = size + sum([each.size for each in self._kept])
        for at in reversed(unused):
            if total > self._most:
                total -= self._kept.pop(at).size
        if total <= self._most:
            self._kept.append(memory)
        return memory

    def _references(self, at: int) -> int:
        """The number of references to memory, including the references of this function."""
        return getrefcount(self._kept[at])


RESULTS = ResultMemory()
