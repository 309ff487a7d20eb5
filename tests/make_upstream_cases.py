"""Records upstream's cases of passes in `tests/transforms/upstream_cases.zip`.

    python tests/make_upstream_cases.py SHARED/transforms

SHARED/transforms has the cases, and `check.py`, which compares a program with upstream's expectations; it
needs the extra `filecheck`. Recorded is what holds: the program without comments, and of each run the passes
and the digest of the program that the expectations fit, or the lines of the errors.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

from make_recorded_passes import digest

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "tests" / "transforms" / "upstream_cases.zip"
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)


def main(folder: Path) -> None:
    sys.path.insert(0, str(folder))
    import check  # type: ignore[import-not-found]

    cases: dict[str, dict[str, Any]] = json.loads((folder / "cases.json").read_text())
    recorded: dict[str, dict[str, Any]] = {}
    texts: dict[str, str] = {}
    for name, case in cases.items():
        text = COMMENT.sub("", (folder / f"{name}.mlir").read_text()).rstrip() + "\n"
        if check.one((folder, name, case))[1]:
            print(f"does not hold: {name}")
            continue
        runs = []
        for run in case["runs"]:
            if not run["prefixes"] and not case["errors"]:
                continue  # nothing is expected
            made, lines = check.ours(text, run["passes"], run["debuginfo"])
            assert set(case["errors"]) <= set(lines) and bool(lines) == bool(case["errors"])
            told = {"errors": case["errors"]} if lines else {"digest": digest(made)}
            runs.append({"passes": run["passes"], "locations": run["debuginfo"], **told})
        recorded[name], texts[name] = {"runs": runs}, text
    with zipfile.ZipFile(OUTPUT, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in [*texts.items(), ("cases.json", json.dumps(recorded, indent=0))]:
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    print(f"{len(recorded)} of {len(cases)} cases, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
