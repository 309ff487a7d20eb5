"""Number of random programs: `ORACLE_DRAWS=50 pytest tests/oracle` draws fifty times as many.

With more than one draw, tests that otherwise take a sample of their cases take all of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar
from zlib import crc32

Case = TypeVar("Case")
DRAWS = int(os.environ.get("ORACLE_DRAWS", "1"))


def sample(cases: Sequence[Case], name: str, every: int) -> Sequence[Case]:
    """Every n-th case, from one on that depends on a name: tests of many names take all places of a list."""
    return cases if DRAWS > 1 else cases[crc32(name.encode()) % min(every, max(len(cases), 1)) :: every]
