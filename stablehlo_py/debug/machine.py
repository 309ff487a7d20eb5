"""The speed of this machine: what NumPy reaches in a product and in a copy, as limits of a roofline."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np

_SIZE = 768  # rows of the matrices
_BYTES = 32 << 20  # of the array that is copied
_RUNS = 3


class Limits(NamedTuple):
    """NumPy's rates on a machine: floating-point operations and bytes per second."""

    flops: float
    bytes: float


def measure_limits() -> Limits:
    """Measure a matrix product of f32 and a copy, in about a tenth of a second."""
    matrix = np.ones((_SIZE, _SIZE), np.float32)
    product = np.empty_like(matrix)
    source, target = np.ones(_BYTES, np.uint8), np.empty(_BYTES, np.uint8)
    multiplying = _shortest(lambda: np.matmul(matrix, matrix, out=product))
    copying = _shortest(lambda: np.copyto(target, source))
    return Limits(2 * _SIZE**3 / multiplying, 2 * _BYTES / copying)


def _shortest(run: Callable[[], object]) -> float:
    """Return the shortest time of several runs, in seconds."""
    times = []
    for _ in range(_RUNS):
        begin = perf_counter()
        run()
        times.append(perf_counter() - begin)
    return max(min(times), 1e-9)
