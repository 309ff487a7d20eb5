"""A plugin of pytest for a run with coverage: which tests run a line, and how long each test takes.

A context is a test function, or a part of one that has many cases: so those of its cases that run a line are
known, and the data stay small. What runs while a file of tests is imported has the file as its context. The
seconds of the tests of each context go to the file $TEST_SECONDS: those of processors, also in processes that
a test starts, for a busy machine changes them little.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import coverage
import pytest

MOST_CASES = 16  # of a context

_seconds: dict[str, dict[str, float]] = defaultdict(dict)
_parts: dict[str, int] = defaultdict(int)  # of each function
_contexts: dict[str, str] = {}  # of each test


def _context(test: str) -> str:
    """The context of a test that starts."""
    function = test.partition("[")[0]
    if len(_seconds[f"{function}#{_parts[function]}"]) >= MOST_CASES:
        _parts[function] += 1
    return f"{function}#{_parts[function]}"


def _spent() -> float:
    """The seconds of processors that this process and those it has waited for have taken."""
    return sum(os.times()[:4])


def pytest_collectstart(collector: pytest.Collector) -> None:
    if isinstance(collector, pytest.Module):
        _switch(collector.nodeid)


def pytest_collectreport() -> None:
    _switch("")


def _switch(context: str) -> None:
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(context)


def pytest_runtest_logstart(nodeid: str) -> None:
    _contexts[nodeid] = context = _context(nodeid)
    _switch(context)
    _seconds[context][nodeid] = _spent()


def pytest_runtest_logfinish(nodeid: str) -> None:
    rows = _seconds[_contexts[nodeid]]
    rows[nodeid] = _spent() - rows[nodeid]


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        rows = {name: {t: round(s, 3) for t, s in tests.items()} for name, tests in _seconds.items() if tests}
        Path(os.environ["TEST_SECONDS"]).write_text(json.dumps(rows), encoding="utf-8")
