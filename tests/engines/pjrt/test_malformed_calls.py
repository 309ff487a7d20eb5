"""Malformed calls of custom-call targets on the engine `pjrt`: errors, and no dead process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jaxlib", reason="needs the extra pjrt")

SCRIPT = Path(__file__).with_name("malformed_calls.py")
COUNT = 80


def outcomes(*arguments: str) -> list[str]:
    """What came of each drawn call, in a process of its own, which has to live."""
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    command = [sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"{last}: {done.stderr[-2000:]}"
    return [line for line in done.stdout.splitlines() if re.match(r"\d+ ", line)]


def test_damaged_calls_of_every_target_are_errors() -> None:
    found = outcomes("7", "0", str(COUNT))
    assert len(found) == COUNT and not [line for line in found if line.endswith("no call is drawn")]
    assert sum("is called with" in line for line in found) > COUNT // 3


@pytest.mark.slow
def test_many_damaged_calls_of_every_target_are_errors() -> None:
    assert len(outcomes("8", "0", "1000")) == 1000


def test_calls_of_lapack_that_fit_run() -> None:
    found = outcomes("9", "0", "40", "lapack_sgeqrf_ffi", "lapack_dpotrf_ffi", "lapack_cgetrf_ffi")
    fitting = [line for line in found if " fits" in line]
    refused = [line for line in fitting if not line.endswith("ran") and "empty matrix" not in line]
    assert fitting and not refused
