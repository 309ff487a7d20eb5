"""Mutation testing: plant bugs one by one, and check that the test named for each fails."""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_suffix(".toml")
IGNORED = shutil.ignore_patterns("__pycache__", ".git", ".*_cache", "*.egg-info", "build", "cache")
PLUGINS = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
SECONDS = 300  # a guard against a bug that never ends
PASSED, FAILED = 0, 1


@dataclass(frozen=True)
class Mutation:
    """A bug: `before` in `file` becomes `after`, and `test` fails."""

    name: str
    file: str
    before: str
    after: str
    test: str

    def stale(self, root: Path) -> str:
        """Why the row does not fit the source tree; empty if it does."""
        path = root / self.file
        if not path.is_file():
            return f"there is no file {self.file}"
        count = path.read_text(encoding="utf-8").count(self.before)
        return "" if count == 1 else f"its text occurs {count} times in {self.file}, not once"


class Tree:
    """A copy of the source tree, in which one bug at a time is planted."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        shutil.copytree(ROOT, self.root, ignore=IGNORED)
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(self.root),
            "SHLO_CACHE_DIR": str(folder / "cache"),
        }
        self.changes = 0

    def test(self, tests: Sequence[str]) -> tuple[int, str]:
        """The exit status of pytest, and what it printed."""
        command = [sys.executable, "-m", "pytest", "-x", *PLUGINS, *tests]
        try:
            done = subprocess.run(
                command,
                cwd=self.root,
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -1, f"did not end in {SECONDS} s"
        return done.returncode, done.stdout + done.stderr

    def test_with(self, mutation: Mutation) -> tuple[int, str]:
        """The same of the mutation's test, with the bug."""
        path = self.root / mutation.file
        text = path.read_text(encoding="utf-8")
        try:
            self.write(path, text.replace(mutation.before, mutation.after))
            return self.test([mutation.test])
        finally:
            self.write(path, text)

    def write(self, path: Path, text: str) -> None:
        """Changes a file, with a time of its own: bytecode counts as current by time in seconds and size."""
        path.write_text(text, encoding="utf-8")
        self.changes += 1
        time = path.stat().st_mtime + 10 * self.changes
        os.utime(path, (time, time))


def check(mutations: Sequence[Mutation], jobs: int) -> list[str]:
    """The problems of all mutations, each a line."""
    problems = [f"{m.name}: {why}: update this row" for m in mutations if (why := m.stale(ROOT))]
    fresh = [m for m in mutations if not m.stale(ROOT)]
    with tempfile.TemporaryDirectory() as folder:
        trees: queue.Queue[Tree] = queue.Queue()
        for number in range(jobs):
            trees.put(Tree(Path(folder, str(number))))
        tree = trees.get()
        status, output = tree.test(sorted({m.test for m in fresh}))
        trees.put(tree)
        if status != PASSED:
            return [*problems, f"the tests do not pass without a bug: update their rows\n{output[-3000:]}"]

        def verdict(mutation: Mutation) -> str:
            tree = trees.get()
            status, output = tree.test_with(mutation)
            trees.put(tree)
            if status == FAILED:
                return ""
            if status == PASSED:
                return f"{mutation.name}: not caught by {mutation.test}"
            return f"{mutation.name}: {mutation.test} did not run: update this row\n{output[-1000:]}"

        with ThreadPoolExecutor(jobs) as pool:
            return problems + [line for line in pool.map(verdict, fresh) if line]


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
