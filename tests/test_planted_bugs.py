"""Each row of the planted bugs, and of mutants that change nothing, fits the source tree: what a change
renames is renamed there, too.
"""

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


def test_each_equivalent_mutant_has_its_place() -> None:
    table = tomllib.loads((ROOT / "tests/gates/equivalent_mutants.toml").read_text(encoding="utf-8"))
    rows = [(row["file"], tuple(row["before"]), tuple(row["after"])) for row in table["mutant"]]
    assert len(set(rows)) == len(rows) > 80
    assert all(row["reason"] for row in (*table["mutant"], *table["costs"]))
    there = {
        file: {line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()}
        for file, *_ in rows
    }
    assert [(file, before) for file, before, _ in rows if not there[file].issuperset(before)] == []
    assert [row["file"] for row in table["costs"] if not (ROOT / row["file"]).is_file()] == []
