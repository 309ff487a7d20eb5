"""Differences from the C++ verifier's verdicts, listed in `differences.csv` with reasons.

`tests/gates/conformance.py` checks that the cases that differ are those of the list.
"""

from __future__ import annotations

import csv
from pathlib import Path


def test_each_difference_has_a_reason() -> None:
    text = Path(__file__).with_name("differences.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    assert rows and all(row["reason"] and row["ours"] != row["upstream"] for row in rows)
