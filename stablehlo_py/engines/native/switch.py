"""Which way regions become code: as loop IR, or directly."""

from __future__ import annotations

import os


def uses_loops() -> bool:
    """Test whether regions are lowered to loop IR."""
    return os.environ.get("SHLO_LOOP_IR") == "1"
