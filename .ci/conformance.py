"""Runs the conformance cases and compares how many hold in each mode with a baseline.

usage: conformance.py CHECK.PY BASELINE

BASELINE has a line for each mode: its name and how many cases must hold. More is fine: raise the number.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HELD = re.compile(r"^(\w+): (\d+) of (\d+) hold, .* (\d+) crash", re.MULTILINE)


def main(check: str, baseline: str) -> int:
    rows = [line.split() for line in Path(baseline).read_text().splitlines() if line and line[0] != "#"]
    needed = {mode: int(least) for mode, least in rows}
    done = subprocess.run([sys.executable, check, *needed], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr, end="")
    held = {mode: int(number) for mode, number, _, _ in HELD.findall(done.stdout)}
    short = [
        f"{mode}: {held.get(mode, 0)} hold, {least} must"
        for mode, least in needed.items()
        if held.get(mode, 0) < least
    ]
    print("\n".join(short) or "no mode is below its baseline")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
