"""Each row of the planted bugs fits the source tree: what a change renames is renamed there, too."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_each_planted_bug_has_its_place() -> None:
    rows = tomllib.loads((ROOT / "tests/gates/mutations.toml").read_text(encoding="utf-8"))["mutation"]
    counts = {
        row["name"]: (ROOT / row["file"]).read_text(encoding="utf-8").count(row["before"]) for row in rows
    }
    assert len(counts) == len(rows) > 200
    assert {name: count for name, count in counts.items() if count != 1} == {}
