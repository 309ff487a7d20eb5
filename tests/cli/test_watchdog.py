"""`cli/watchdog.py`: the end of a process whose step does not end in time."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys, time
from stablehlo_py.cli import watchdog
watchdog._GRACE = 0.1
with watchdog.ends_in({limit}, "x.mlir", "the program runs"):
    time.sleep({pause})
print("ended")
"""


def run(limit: object, pause: float) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(limit=limit, pause=pause)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)


def test_a_step_that_does_not_end() -> None:
    done = run(0.1, 600)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "x.mlir: error: the program runs for more than 0.1 seconds\n"


@pytest.mark.parametrize("limit", [None, 1e6, "float('inf')", 1e300])
def test_a_block_that_ends(limit: object) -> None:
    done = run(limit, 0)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")
