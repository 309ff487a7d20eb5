"""Pictures of the README, recorded from the tool: `python docs/images.py [FOLDER]` writes `docs/images/`.

`speed.svg` is made by `tests/benchmarks/models.py`, on a quiet machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sessions import Session, record

IMAGES = Path(__file__).parent / "images"
SESSIONS = (
    Session("verify", ["shlo verify testdata/mismatch.mlir"], [1]),
    Session("compare", ["shlo compare norm.mlir rewritten.mlir --random 0"], [1]),
)


def record_images(folder: Path) -> None:
    """Record the pictures into a folder."""
    folder.mkdir(exist_ok=True)
    for session in SESSIONS:
        record(session, folder)


if __name__ == "__main__":
    record_images(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
