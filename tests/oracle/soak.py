"""How much is drawn: `ORACLE_DRAWS=50 pytest tests/oracle` draws fifty times as much, for runs overnight."""

from __future__ import annotations

import os

DRAWS = int(os.environ.get("ORACLE_DRAWS", "1"))
