"""`cli/watchdog.py`: the end of a process whose step does not end in time."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time

import pytest
from stablehlo_py.cli import watchdog

PROGRAM = """
import time
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
    done = run("[(None, 0), (0.1, 600)]")
    assert (done.returncode, done.stdout) == (1, "ended\n")
    assert done.stderr == "x.mlir: error: the program runs for more than 0.1 seconds\n"


def test_blocks_that_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the timers runs on."""
    ended: list[str] = []
    monkeypatch.setattr(watchdog, "_GRACE", 1.0)
    monkeypatch.setattr(watchdog, "_end", ended.append)
    before = threading.active_count()
    for limit in (None, 1e6, math.inf, 1e300, 0.01):
        with watchdog.ends_in(limit, "x.mlir", "the program runs"):
            pass
    with pytest.raises(KeyError), watchdog.ends_in(0.01, "x.mlir", "the program runs"):
        raise KeyError
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert (ended, threading.active_count()) == ([], before)


@pytest.mark.parametrize(
    ("limit", "wait"), [(0.0, 5.0), (1.0, 6.0), (10.0, 15.0), (20.0, 30.0), (math.inf, threading.TIMEOUT_MAX)]
)
def test_a_step_may_take_five_seconds_more_or_half_of_the_limit(
    monkeypatch: pytest.MonkeyPatch, limit: float, wait: float
) -> None:
    waits: list[float] = []

    class Timer(threading.Thread):
        def __init__(self, seconds: float, function: object, arguments: tuple[str]) -> None:
            super().__init__()
            waits.append(seconds)

        def cancel(self) -> None:
            self.join()

    monkeypatch.setattr(threading, "Timer", Timer)
    with watchdog.ends_in(limit, "x.mlir", "the program runs"):
        assert waits == [wait]
