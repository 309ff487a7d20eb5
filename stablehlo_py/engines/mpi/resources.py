"""What a rank takes of its machine: memory goes back when it is free; its share of the processors."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

_PARAMETERS = {-3: 1 << 22, -8: 1}  # of glibc: M_MMAP_THRESHOLD (arrays mapped by themselves), M_ARENA_MAX
_CHOSEN = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")  # by the user
_SET_THREADS = "scipy_openblas_set_num_threads64_"


def share_machine(ranks: int) -> None:
    """Let this rank keep little memory that is free, and NumPy's BLAS use its share of the processors.

    glibc would place larger and larger arrays between others, once such a one was freed. BLAS would start a
    thread for each processor on each rank; these wait for each other busily.

    Args:
        ranks: The number of ranks on this machine.
    """
    with suppress(AttributeError, OSError):  # other C libraries have no such parameters
        for parameter, value in _PARAMETERS.items():
            ctypes.CDLL(None).mallopt(parameter, value)
    if any(name in os.environ for name in _CHOSEN) or not hasattr(os, "sched_getaffinity"):
        return
    threads = max(1, len(os.sched_getaffinity(0)) // ranks)
    for path in Path(np.__file__).parents[1].glob("numpy.libs/libscipy_openblas64_*"):
        with suppress(AttributeError, OSError):  # another BLAS
            getattr(ctypes.CDLL(str(path)), _SET_THREADS)(threads)
