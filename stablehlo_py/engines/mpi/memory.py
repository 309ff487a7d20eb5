"""Memory of a rank: what large arrays take goes back to the system when they are freed."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_MMAP_THRESHOLD = -3  # the number of the parameter in glibc
_LARGE = 1 << 17  # bytes of an array that is mapped by itself; glibc's first value


def return_large_arrays() -> None:
    """Keep glibc from placing large arrays between others, as it does once it has freed such a one."""
    with suppress(AttributeError, OSError):  # other C libraries have no such parameter
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
