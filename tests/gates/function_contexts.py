"""A plugin of pytest for a run with coverage: which tests run a line, and how long each test takes.

A context is a test function, or a part of one whose cases take long: so those of its cases that run a line
are known, and the data stay small. The seconds of the tests of each context go to the file $TEST_SECONDS.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import coverage
import pytest

MOST_SECONDS = 0.5  # of a context's tests, before another one is begun

_seconds: dict[str, dict[str, float]] = defaultdict(dict)
_parts: dict[str, int] = defaultdict(int)  # of each function
_contexts: dict[str, str] = {}  # of each test


def _context(test: str) -> str:
    """The context of a test that starts."""
    function = test.partition("[")[0]
    if sum(_seconds[f"{function}#{_parts[function]}"].values()) > MOST_SECONDS:
        _parts[function] += 1
    return f"{function}#{_parts[function]}"


def pytest_runtest_logstart(nodeid: str) -> None:
    current = coverage.Coverage.current()
    _contexts[nodeid] = _context(nodeid)
    if current is not None:
        current.switch_context(_contexts[nodeid])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    rows = _seconds[_contexts[report.nodeid]]
    rows[report.nodeid] = rows.get(report.nodeid, 0) + report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        rows = {name: {t: round(s, 3) for t, s in tests.items()} for name, tests in _seconds.items() if tests}
        Path(os.environ["TEST_SECONDS"]).write_text(json.dumps(rows), encoding="utf-8")
