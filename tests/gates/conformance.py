"""Run the conformance cases: as many hold as the baseline says, and the others are known differences."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

DIFFERENCES = Path(__file__).parents[1] / "differences.csv"
FAILED = re.compile(r"^  (\d+:\S+|\S+\.mlir): ", re.MULTILINE)
HELD = re.compile(r"^(\w+): (\d+) of (\d+) hold, .* (\d+) crash", re.MULTILINE)


def main(check: str, baseline: str) -> int:
    rows = [line.split() for line in Path(baseline).read_text().splitlines() if line and line[0] != "#"]
    expected = {mode: (held, total) for mode, held, total in rows}
    command = [sys.executable, check, *expected, "--all-failures"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    found = {mode: (held, total) for mode, held, total, _ in HELD.findall(done.stdout)}
    wrong = [
        f"{mode}: {' of '.join(found.get(mode, ('none', 'none')))} hold, the baseline says {' of '.join(row)}"
        for mode, row in expected.items()
        if found.get(mode) != row
    ]
    known = {row["program"] for row in csv.DictReader(DIFFERENCES.read_text().splitlines())}
    failed = set(FAILED.findall(done.stdout))
    wrong += [f"{name}: no difference of {DIFFERENCES.name}" for name in sorted(failed - known)]
    if wrong:
        print("\n".join(wrong) + f"\nif more hold than before, update {baseline}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
