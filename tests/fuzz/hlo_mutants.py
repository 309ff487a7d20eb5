"""Mutants of HLO texts and protos: ours reads or refuses each, as XLA's own parser does.

`python tests/fuzz/hlo_mutants.py COUNT --seed N --finds FOLDER [--programs FOLDER ...] [--oracle]` checks
mutants: no exception but ParseError, a print of what is read, messages of the verifier and of the conversion,
within SECONDS and MEMORY. With --oracle, jaxlib, in another process, says which it accepts. Where it dies,
and for texts that are no UTF-8, there is no verdict. Counts are printed; what differs is saved in FOLDER.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fuzz import MEMORY, SECONDS, TooSlow, _limited, _place
from mutators import mutate_bytes, mutate_lines, mutate_numbers, mutate_tokens
from test_damaged_artifacts import damaged

import stablehlo_py as shlo
from stablehlo_py.hlo.read import read_hlo

ROOT = Path(__file__).parent.parent
PROTOS = ROOT / "hlo" / "recorded_protos.zip"
LONGEST = 6000  # characters of a text
STEP = 1000  # mutants between two reports
KINDS = (mutate_bytes, mutate_tokens, mutate_tokens, mutate_lines, mutate_numbers)
ORACLE = """
import sys
from jaxlib import _jax, _hlo
source, answers = sys.stdin.buffer, sys.stdout.buffer
while head := source.read(9):
    data = source.read(int(head[1:]))
    try:
        if head[:1] == b"t":
            _hlo.hlo_module_from_text(data.decode())
        else:
            _hlo.HloModule.from_serialized_hlo_module_proto(data)
        answers.write(b"1")
    except UnicodeError:
        answers.write(b"?")
    except Exception:
        answers.write(b"0")
    answers.flush()
"""


class Oracle:
    """jaxlib in a process of its own, which is started again where it dies."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def accepts(self, data: bytes, is_text: bool) -> bool | None:
        """Return the verdict; None if it dies, or takes no such bytes."""
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, "-c", ORACLE]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(b"%c%08d" % (b"pt"[is_text], len(data)) + data)
            self.process.stdin.flush()
        except OSError:
            pass
        answer = self.process.stdout.read(1)
        if not answer:
            self.process.wait()
        return {b"1": True, b"0": False}.get(answer)


def texts_in(folders: Sequence[Path]) -> list[str]:
    """Return the short HLO texts of folders."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*.hlo"))]
    found = [path.read_bytes().decode("utf-8", "surrogateescape") for path in paths]
    return [text for text in found if len(text) < LONGEST]


def protos() -> list[bytes]:
    """Return the recorded modules in protobuf."""
    with zipfile.ZipFile(PROTOS) as archive:
        return [archive.read(name) for name in archive.namelist() if name.endswith(".pb")]


def mutant(number: int, seed: int, texts: Sequence[str], files: Sequence[bytes]) -> tuple[bytes, bool]:
    """Return a mutant, and whether it is a text."""
    choose = random.Random(f"{seed} {number}")
    if number % 4 == 3:
        return damaged(files, choose), False
    text = choose.choice(texts)
    for _ in range(choose.choice((1, 1, 1, 2, 3))):
        text = choose.choice(KINDS)(text, texts, choose)
    return text.encode("utf-8", "surrogateescape"), True


def check(data: bytes, is_text: bool) -> bool:
    """Read, print and convert a mutant; return whether it is accepted. Whatever is raised is a bug."""
    try:
        module = read_hlo(data.decode("utf-8", "surrogateescape") if is_text else data, "<mutant>")
    except shlo.ParseError as error:
        assert error.diagnostics and "internal" not in str(error)
        return False
    printed = module.to_string("short_parsable")
    module.to_string()
    for diagnostic in module.verify():
        assert diagnostic.message and diagnostic.code != "internal"
    try:
        converted = shlo.parse(printed)
    except shlo.ParseError as error:
        assert error.diagnostics and "internal" not in str(error)
        return True
    assert not [d for d in shlo.verify(converted) if d.code == "internal"]
    return True


def outcome(data: bytes, is_text: bool, oracle: Oracle | None) -> str:
    """Return what becomes of a mutant; "find: ..." is a bug."""
    try:
        with _limited(SECONDS):
            accepted = check(data, is_text)
    except TooSlow as error:
        return f"find: more than {SECONDS:g} s: {_place(error)}"
    except Exception as error:
        return f"find: {type(error).__name__}: {str(error)[:80]} ({_place(error)})"
    said = "accepted" if accepted else "refused"
    if oracle is None:
        return said
    verdict = oracle.accepts(data, is_text)
    if verdict is None:
        return f"{said}, no verdict of jaxlib"
    return said if verdict == accepted else f"{said}, not so jaxlib"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--finds", type=Path, required=True)
    parser.add_argument("--programs", type=Path, nargs="*", default=[ROOT.parent / "testdata" / "hlo"])
    parser.add_argument("--oracle", action="store_true")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    given.finds.mkdir(parents=True, exist_ok=True)
    texts, files, found = texts_in(given.programs), protos(), Counter[tuple[str, str]]()
    oracle = Oracle() if given.oracle else None
    for number in range(given.count):
        data, is_text = mutant(number, given.seed, texts, files)
        result = outcome(data, is_text, oracle)
        found["text" if is_text else "proto", result] += 1
        if result.startswith("find") or result.endswith("not so jaxlib"):
            (given.finds / f"{given.seed}-{number}.{'hlo' if is_text else 'pb'}").write_bytes(data)
        if (number + 1) % STEP == 0 or number + 1 == given.count:
            rows = [f"{counted:8} {kind:6} {what}" for (kind, what), counted in found.most_common()]
            (given.finds / f"{given.seed}.txt").write_text("\n".join(rows) + "\n")
    sys.stdout.write((given.finds / f"{given.seed}.txt").read_text())
    return any(result.startswith("find") for _, result in found)


if __name__ == "__main__":
    sys.exit(main())
