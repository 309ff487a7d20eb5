"""Each op on a few element types, compared with recorded results of XLA's CPU backend."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.recorded_runs import Run, is_near, read

FILE = Path(__file__).with_name("recorded_ops.zip")


@cache
def runs() -> dict[str, list[Run]]:
    """The runs by op."""
    found = defaultdict(list)
    for run in read(FILE):
        found[run.op].append(run)
    return found


@pytest.mark.parametrize("op", runs())
def test_results(op: str) -> None:
    assert [run.elements for run in runs()[op] if not is_near(run)] == []
