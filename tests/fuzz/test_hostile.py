"""Hostile texts take bounded time and memory; each is checked in a separate process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hostile import TEXTS

GROUPS = 4  # of texts: the processes of a group have imported the package once

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("group", range(GROUPS))
def test_hostile_texts(group: int) -> None:
    script = Path(__file__).with_name("hostile.py")
    names = list(TEXTS)[group::GROUPS]
    child = subprocess.run([sys.executable, str(script), *names], capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr[-4000:]
