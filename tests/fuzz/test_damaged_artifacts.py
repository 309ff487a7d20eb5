"""Damaged binary programs: an error of ours or a program, nothing else.

`python tests/fuzz/test_damaged_artifacts.py COUNT SEED FOLDER` tries many more, and saves what it finds.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

import stablehlo_py as shlo
from stablehlo_py.artifacts.bytecode import locations

FILES = Path(__file__).parent.parent / "artifacts" / "files"
TRIES = 150
LARGEST = 1500  # bytes: a change of a small file is more likely to be one of its structure
OUTCOMES = ("refused", "invalid", "valid")
SECONDS = 10  # of processor time for one file
STEP = 1000  # files between two reports
_INTERESTING = (0x00, 0x01, 0x02, 0x03, 0x7F, 0x80, 0xFE, 0xFF)


def originals() -> list[bytes]:
    """The files that are damaged."""
    paths = [path for path in sorted(FILES.iterdir()) if path.suffix != ".mlir"]
    return [path.read_bytes() for path in paths if path.stat().st_size <= LARGEST]


def damaged(files: Sequence[bytes], choose: random.Random) -> bytes:
    """A file with a byte or two changed, some removed, repeated, or brought in from another file."""
    data = bytearray(choose.choice(files))
    for _ in range(choose.choice((1, 1, 1, 2, 5))):
        at = choose.randrange(len(data) + 1)
        until = min(len(data), at + choose.choice((1, 1, 2, 8, 40)))
        match choose.choice(("byte", "byte", "byte", "known", "known", "cut", "twice", "borrow", "end")):
            case "byte":
                data[at : at + 1] = bytes([choose.randrange(256)])
            case "known":
                data[at : at + 1] = bytes([choose.choice(_INTERESTING)])
            case "cut":
                del data[at:until]
            case "twice":
                data[at:at] = data[at:until]
            case "borrow":
                other = choose.choice(files)
                start = choose.randrange(len(other))
                data[at:until] = other[start : start + until - at]
            case "end":
                del data[at:]
    return bytes(data)


def check(data: bytes) -> str:
    """What becomes of a file: "refused", "invalid" or "valid". Whatever else is raised is a bug."""
    try:
        module = shlo.parse(data)
    except shlo.ParseError as error:
        assert error.diagnostics
        return "refused"
    findings = shlo.verify(module)
    assert not [d.message for d in findings if d.code == "internal"]
    shlo.format(module, locations=True)
    for kind in ("bytecode", "portable"):
        try:
            shlo.parse(shlo.serialize(module, kind))  # type: ignore[arg-type]
        except (shlo.SerializationError, shlo.ParseError):
            continue
    return "invalid" if any(d.severity == "error" for d in findings) else "valid"


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locations, "LEAST_COUNT", 0)  # locations of small files are deferred too
    files, choose = originals(), random.Random(seed)
    for _ in range(TRIES):
        check(damaged(files, choose))


def fuzz(count: int, seed: int, finds: Path) -> None:
    """Check damaged files, print how many there are of each kind, and save those that are a bug."""
    locations.LEAST_COUNT = 0  # locations of small files are deferred too
    files, choose, found = originals(), random.Random(seed), Counter[str]()
    for number in range(count):
        data, start = damaged(files, choose), time.process_time()
        try:
            outcome = check(data)
        except Exception as error:  # what the fuzzer looks for
            outcome = f"{type(error).__name__}: {error}"[:100]
        if time.process_time() - start > SECONDS:
            outcome = f"more than {SECONDS} s"
        if outcome not in OUTCOMES:
            (finds / f"{seed}-{number}.bin").write_bytes(data)
        found[outcome] += 1
        if (number + 1) % STEP == 0 or number + 1 == count:
            rows = [f"{counted:8} {what}" for what, counted in found.most_common()]
            (finds / f"{seed}.txt").write_text("\n".join(rows) + "\n")
    sys.stdout.write((finds / f"{seed}.txt").read_text())


if __name__ == "__main__":
    fuzz(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
