"""`cli/watchdog.py`: the end of a process whose step does not end in time."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import math, time
from stablehlo_py.cli import watchdog
watchdog._GRACE = 0.1
for limit, pause in {blocks}:
    with watchdog.ends_in(limit, "x.mlir", "the program runs"):
        time.sleep(pause)
    print("ended")
"""


def run(blocks: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(blocks=blocks)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)


def test_a_step_that_does_not_end() -> None:
    done = run("[(0.1, 600)]")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "x.mlir: error: the program runs for more than 0.1 seconds\n"


def test_blocks_that_end() -> None:
    done = run("[(None, 0.0), (1e6, 0.0), (math.inf, 0.0), (1e300, 0.0), (0.1, 0.0), (None, 0.5)]")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n" * 6, "")
