"""Print the coverage of each folder from coverage's JSON report; fail if the total is below a threshold."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path, PurePath


def main(report: str, floor: str) -> int:
    files = json.loads(Path(report).read_text())["files"]
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, found in files.items():
        for folder in ("/".join(PurePath(name).parent.parts[:2]), "all"):
            totals[folder][0] += found["summary"]["covered_lines"]
            totals[folder][1] += found["summary"]["num_statements"]
    for folder, (covered, lines) in sorted(totals.items()):
        print(f"{folder:32} {lines:6} lines {100 * covered / max(lines, 1):6.1f} %")
    covered, lines = totals["all"]
    if 100 * covered < float(floor) * lines:
        print(f"less than {floor} % of the lines are covered")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
