"""The fuzzer: mutants of programs, through parse, verify, lint, format, analyze, graph and run.

`python tests/fuzz/fuzz.py --finds FOLDER [--start N] [--count N] [--programs FOLDER ...]` continues where it
stopped. A mutant is determined by its number and the programs. A find is saved as FOLDER/NUMBER.mlir;
`--again FOLDER` checks these files again. Counts by kind of change are in FOLDER/state.json.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType

from checking import check
from mutators import KINDS

import stablehlo_py as shlo
from stablehlo_py.diagnostics.diagnostic import RunWarning

TESTDATA = Path(__file__).parent.parent.parent / "testdata"
LONGEST = 6000  # characters of a program
SECONDS = 20.0  # of processor time for one mutant
MEMORY = 6 << 30  # bytes of address space
STEP = 500  # mutants between two savings of the state
STATE = "state.json"


Found = Counter[tuple[str, str]]  # by kind and outcome


class TooSlow(BaseException):
    """A mutant takes more than SECONDS. Not an Exception, which the package may handle."""


@cache
def programs(folders: tuple[Path, ...] = (TESTDATA,)) -> tuple[str, ...]:
    """The short programs of folders, in the form of their files and in generic form."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*.mlir"))]
    texts = [path.read_bytes().decode("utf-8", "surrogateescape") for path in paths]
    parts = [part for text in texts for part in text.split("// -----\n") if len(part) < LONGEST]
    return (*parts, *(form for part in parts for form in _generic(part) if len(form) < LONGEST))


def _generic(text: str) -> list[str]:
    try:
        return [shlo.format(shlo.parse(text), generic=True)]
    except shlo.ParseError:
        return []


def mutant(number: int, texts: Sequence[str]) -> tuple[str, str]:
    """Return a mutant by its number: the kind of change, and the text."""
    choose = random.Random(number)
    kind = list(KINDS)[number % len(KINDS)]
    text = choose.choice(texts)
    for _ in range(choose.choice((1, 1, 1, 2, 3))):
        text = KINDS[kind](text, texts, choose)
    return kind, text


def find(text: str, run: bool = True) -> tuple[str, str | None]:
    """Check a text: what became of it, and why it is a find, or None. Warnings of Python are finds."""
    try:
        with _limited(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", RunWarning)
            return check(text, run), None
    except TooSlow as error:
        return "find", f"more than {SECONDS:g} s: {_place(error)}"
    except Exception as error:
        return "find", f"{type(error).__name__}: {error} ({_place(error)})"


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in frames[-1:-4:-1])


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TooSlow after a time on the processor, so that a busy machine does not matter."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def fuzz(start: int, count: int, texts: Sequence[str], folder: Path) -> Found:
    """Check mutants by number, print and save the finds, and save the state."""
    found = _counts(folder)
    for number in range(start, start + count):
        kind, text = mutant(number, texts)
        outcome, why = find(text)
        found[kind, outcome] += 1
        if why is not None:
            _say(f"{number} {kind}: {why}\n")
            (folder / f"{number}.mlir").write_bytes(text.encode("utf-8", "surrogateescape"))
        if (number + 1) % STEP == 0 or number + 1 == start + count:
            rows = [[kind, outcome, counted] for (kind, outcome), counted in found.items()]
            (folder / STATE).write_text(json.dumps({"next": number + 1, "found": rows}))
    return found


def _counts(folder: Path) -> Found:
    """Return the counts of earlier runs."""
    state = folder / STATE
    rows = json.loads(state.read_text())["found"] if state.exists() else []
    return Counter({(kind, outcome): count for kind, outcome, count in rows})


def _table(found: Found) -> str:
    columns = ["syntax", "invalid", "valid", "refused", "ran", "find"]
    rows = [f"{'':10}" + "".join(f"{name:>10}" for name in columns)]
    rows += [f"{kind:10}" + "".join(f"{found[kind, name]:10}" for name in columns) for kind in KINDS]
    return "\n".join(rows) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--finds", type=Path, default=Path("finds"), metavar="FOLDER")
    parser.add_argument("--start", type=int, metavar="N", help="the first one (default: where it stopped)")
    parser.add_argument("--count", type=int, metavar="N", default=sys.maxsize, help="default: endless")
    parser.add_argument("--programs", type=Path, nargs="*", default=[], metavar="FOLDER")
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="check the finds in a folder again")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if options.again:
        return _again(options.again)
    options.finds.mkdir(parents=True, exist_ok=True)
    state = options.finds / STATE
    start: int = options.start or (json.loads(state.read_text())["next"] if state.exists() else 0)
    try:
        fuzz(start, options.count, programs((TESTDATA, *options.programs)), options.finds)
    finally:
        _say(_table(_counts(options.finds)))
    return 1 if any(options.finds.glob("*.mlir")) else 0


def _again(folder: Path) -> int:
    left = 0
    for path in sorted(folder.glob("*.mlir"), key=lambda path: int(path.stem)):
        _, why = find(path.read_bytes().decode("utf-8", "surrogateescape"))
        left += why is not None
        _say(f"{path.stem}: {why}\n" if why else "")
    return 1 if left else 0


def _say(text: str) -> None:
    sys.stdout.write(text.encode("ascii", "backslashreplace").decode())
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
