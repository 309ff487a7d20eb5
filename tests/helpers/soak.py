"""Number of random programs: `ORACLE_DRAWS=50 pytest tests/oracle` draws fifty times as many."""

from __future__ import annotations

import os

DRAWS = int(os.environ.get("ORACLE_DRAWS", "1"))
