"""A plugin of pytest for a run with coverage: which test functions run a line, and how long each test takes.

Contexts of functions, not of their cases, keep the data small. Seconds go to the file $TEST_SECONDS.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import coverage
import pytest

_seconds: dict[str, float] = defaultdict(float)
_function = [""]


def pytest_runtest_logstart(nodeid: str) -> None:
    current = coverage.Coverage.current()
    function = nodeid.partition("[")[0]
    if current is not None and function != _function[0]:
        _function[0] = function
        current.switch_context(function)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        seconds = {test: round(each, 3) for test, each in _seconds.items()}
        Path(os.environ["TEST_SECONDS"]).write_text(json.dumps(seconds), encoding="utf-8")
