"""Run the conformance cases, and compare the number of passing cases of each mode with a baseline."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HELD = re.compile(r"^(\w+): (\d+) of (\d+) hold, .* (\d+) crash", re.MULTILINE)


def main(check: str, baseline: str) -> int:
    rows = [line.split() for line in Path(baseline).read_text().splitlines() if line and line[0] != "#"]
    expected = {mode: (held, total) for mode, held, total in rows}
    done = subprocess.run([sys.executable, check, *expected], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    found = {mode: (held, total) for mode, held, total, _ in HELD.findall(done.stdout)}
    wrong = [
        f"{mode}: {' of '.join(found.get(mode, ('none', 'none')))} hold, the baseline says {' of '.join(row)}"
        for mode, row in expected.items()
        if found.get(mode) != row
    ]
    if wrong:
        print("\n".join(wrong) + f"\nif more hold than before, update {baseline}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
