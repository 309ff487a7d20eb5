"""Hostile texts take bounded time and memory; each is checked in a separate process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hostile import TEXTS

SECONDS = 300  # for the slowest machine: one that does not end takes for ever

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_text(name: str) -> None:
    script = Path(__file__).with_name("hostile.py")
    child = subprocess.run(
        [sys.executable, str(script), name], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert child.returncode == 0, child.stderr[-2000:]
