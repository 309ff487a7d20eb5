"""Mutation testing: plant bugs one by one, and check that the test named for each fails."""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mutant_runs
from mutant_runs import CAUGHT, PASSED, ROOT

TABLE = Path(__file__).with_suffix(".toml")
SECONDS = 100  # of work: a guard against a bug that never ends


@dataclass(frozen=True)
class Mutation:
    """A bug: `before` in `file` becomes `after`, and `test` fails."""

    name: str
    file: str
    before: str
    after: str
    test: str

    def stale(self) -> str:
        """Why the row does not fit the source tree; empty if it does."""
        path = ROOT / self.file
        if not path.is_file():
            return f"there is no file {self.file}"
        count = path.read_text(encoding="utf-8").count(self.before)
        return "" if count == 1 else f"its text occurs {count} times in {self.file}, not once"


def _problem(mutation: Mutation) -> str:
    """What is wrong with a row; empty if the test fails because of the bug."""
    text = (ROOT / mutation.file).read_text(encoding="utf-8").replace(mutation.before, mutation.after)
    outcome = mutant_runs.tree().judge(mutation.file, text, [mutation.test], (), SECONDS)
    if outcome.verdict == PASSED:
        return f"{mutation.name}: not caught by {mutation.test}"
    if outcome.verdict != CAUGHT or not outcome.test.startswith(mutation.test):
        return f"{mutation.name}: {mutation.test} did not run: update this row"
    return ""


def check(mutations: Sequence[Mutation], jobs: int) -> list[str]:
    """The problems of all mutations, each a line."""
    problems = [f"{m.name}: {why}: update this row" for m in mutations if (why := m.stale())]
    fresh = [m for m in mutations if not m.stale()]
    with mutant_runs.pool(jobs) as pool:
        if unfit := pool.apply(mutant_runs.unfit, [sorted({m.test for m in fresh})]):
            return [*problems, *(f"{test} fails without a bug: update its row" for test in sorted(unfit))]
        return problems + [line for line in pool.imap(_problem, fresh) if line]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="bugs to test at a time")
    parser.add_argument("names", nargs="*", metavar="NAME", help="these only")
    given = parser.parse_args()
    rows = [Mutation(**row) for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutation"]]
    chosen = [row for row in rows if not given.names or row.name in given.names]
    problems = check(chosen, given.jobs)
    print(*problems, f"{len(chosen) - len(problems)} of {len(chosen)} planted bugs are caught", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
