"""Memory patterns: the initial contents of a call's memory, so that a read of unwritten memory is detected.

With `SHLO_FILL_MEMORY` in the environment, every call of a region fills its memory, new or used before. Calls
alternate between two bytes. Floats of either byte are large or NaN, integers are large with different signs,
and booleans differ. Tests and `shlo fuzz` run programs this way.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import cycle
from typing import Any

import numpy as np

FILL_MEMORY = "SHLO_FILL_MEMORY"
_BYTES = (0x7F, 0xFE)
_TURNS = cycle(_BYTES) if os.environ.get(FILL_MEMORY) else None


def fill(arrays: Iterable[Any]) -> None:
    """Fill dense arrays with the pattern of this call, if memory is to be filled."""
    if _TURNS is None:
        return
    byte = next(_TURNS)
    for array in arrays:
        array.reshape(-1).view(np.uint8).fill(byte)
