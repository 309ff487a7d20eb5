"""Run upstream's cases of passes, and compare the number of passing cases of each family with a baseline."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HELD = re.compile(r"^(\w+) +(\d+) of +(\d+)$", re.MULTILINE)


def main(check: str, baseline: str) -> int:
    rows = [line.split() for line in Path(baseline).read_text().splitlines() if line and line[0] != "#"]
    expected = {family: int(held) for family, held in rows}
    done = subprocess.run([sys.executable, check, "--list"], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    found = {family: int(held) for family, held, _ in HELD.findall(done.stdout)}
    fewer = [
        f"{family}: {found.get(family, 'none')} hold, the baseline says {held}"
        for family, held in expected.items()
        if found.get(family, -1) < held
    ]
    if found != expected and not fewer:
        print(f"more hold than before: update {baseline}")
    if fewer:
        print("\n".join(fewer))
    return 1 if fewer else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
