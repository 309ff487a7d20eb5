"""Wrong passes: what each kind of bug in a pass makes of XLA's own dumps is named by `shlo blame`.

`python tests/fuzz/wrong_passes.py PROGRAM.mlir... [--seed N] [--each N] [--dumps FOLDER] [-k KIND]` lets
jaxlib, in a process of its own, dump the programs, whose inputs are in PROGRAM.npz (`in0`, `in1`, ...). For
each kind of bug (`wrong_pass_kinds.py`) it draws programs and dumps, and rewrites the dump, and those after
it, as a pass with the bug would: at every instruction that the bug applies to, or at one of them. Where a
result is then off by more than HARMFUL, blame has to name the dump and an instruction that was rewritten, or
one that takes its result: a wrong instruction may be equal to another one that the program has. Counts of
each kind are printed.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from wrong_pass_kinds import KINDS, Place, applied_by, readers

import stablehlo_py as shlo
from stablehlo_py.debug.blame.dumps import distinct, dumps_in
from stablehlo_py.debug.blame.make_dumps import make_dumps
from stablehlo_py.hlo.module import HloModule, Instruction
from stablehlo_py.hlo.parser import parse_hlo

HARMFUL = 0.02  # the error of a result, relative to its largest magnitude
NAMED, USER = "named", "named by a user of its result"
AFTER = 2  # dumps after the wrong one
TRIES = 30  # draws of a place for one bug
DEFINED = re.compile(r"\s*(?:ROOT )?%?([\w.\-]+) = ")


class Dumped(NamedTuple):
    """A program that XLA dumped: its inputs, the names and texts of its dumps, and its results."""

    name: str
    inputs: list[Any]
    dumps: list[tuple[str, str]]
    results: list[Any]


def dumped(program: Path, folder: Path) -> Dumped:
    """Let XLA dump a program, unless the folder has its dumps."""
    place = folder / program.stem
    if not place.is_dir():
        place.mkdir(parents=True)
        make_dumps(program, place, ["-a", str(program.with_suffix(".npz"))])
    with np.load(program.with_suffix(".npz")) as arrays:
        inputs = [arrays[f"in{i}"] for i in range(sum(name.startswith("in") for name in arrays))]
    dumps, _ = distinct(dumps_in(place)[0])
    texts = [(dump.path.name, dump.text()) for dump in dumps]
    return Dumped(program.stem, inputs, texts, shlo.run(shlo.parse(texts[0][1]), inputs))


class Rewritten(NamedTuple):
    """A dump after a wrong pass: its text, and the names of the wrong instructions and of their users."""

    text: str
    wrong: set[str]
    users: set[str]


def rewritten(text: str, kind: str, seed: int) -> Rewritten:
    """Rewrite a dump as a wrong pass."""
    rng = random.Random(seed)
    module = parse_hlo(text)
    everywhere = [
        (computation, each)
        for computation in module.computations
        for each in computation.instructions
        if each.opcode in KINDS[kind].opcodes
    ]
    order = rng.sample(everywhere, len(everywhere))
    is_whole = rng.random() < 0.5
    wrong, users = set[str](), set[str]()
    changed: list[Instruction] = []
    added: list[tuple[Instruction, Instruction]] = []
    for computation, at in order:
        found = KINDS[kind].rewrite(Place(at, computation, module, rng, added))
        if found is None:
            continue
        changed.append(at)
        wrong |= found | applied_by(module, computation)
        wrong |= {new.name for new, before in added if before is at}
        users |= readers(module, computation, at)
        if not is_whole:
            break
    return Rewritten(edited(text, module, changed, added), wrong, users)


def edited(
    text: str,
    module: HloModule,
    changed: Sequence[Instruction],
    added: Sequence[tuple[Instruction, Instruction]],
) -> str:
    """Return the text with changed instructions written anew, and new ones before them."""
    for new, before in added:
        for computation in module.computations:
            if before in computation.instructions:
                computation.instructions.insert(computation.instructions.index(before), new)
    names = {each.name for each in changed} | {new.name for new, _ in added}
    printed = {
        m[1]: line for line in module.to_string().split("\n") if (m := DEFINED.match(line)) and m[1] in names
    }
    lines = []
    for line in text.split("\n"):
        match = DEFINED.match(line)
        lines += [printed[new.name] for new, before in added if match and before.name == match[1]]
        lines.append(printed.get(match[1], line) if match else line)
    return "\n".join(lines)


def is_harmful(text: str, program: Dumped) -> bool:
    """Test whether a wrong dump has results that are off by more than HARMFUL, or integers that differ."""
    for mine, right in zip(shlo.run(shlo.parse(text), program.inputs), program.results, strict=True):
        x, y = np.asarray(mine), np.asarray(right)
        if y.dtype.kind in "iub":
            if not np.array_equal(x, y):
                return True
            continue
        x, y = x.astype(np.complex128), y.astype(np.complex128)
        if not np.array_equal(np.isfinite(x), np.isfinite(y)):
            return True
        error = np.abs(x - y)[np.isfinite(y)].max(initial=0.0)
        if error > HARMFUL * np.abs(y[np.isfinite(y)]).max(initial=0.0):
            return True
    return False


def verdict(program: Dumped, kind: str, at: int, seed: int) -> str | None:
    """Plant a bug in a dump; return how blame finds it, None if the bug does not apply or does no harm."""
    planted = rewritten(program.dumps[at][1], kind, seed)
    if not planted.wrong or not is_harmful(planted.text, program):
        return None
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (program.dumps[0], *program.dumps[max(1, at - 1) : at]):
            Path(folder, name).write_text(text)
        Path(folder, program.dumps[at][0]).write_text(planted.text)
        for name, text in program.dumps[at + 1 : at + 1 + AFTER]:
            Path(folder, name).write_text(rewritten(text, kind, seed).text)
        blame = shlo.blame(folder, program.inputs)
    if blame.file != program.dumps[at][0]:
        return f"{blame.file} instead of {program.dumps[at][0]}"
    match = DEFINED.match(blame.first.text) if blame.first is not None else None
    if match is not None and match[1] in planted.wrong:
        return NAMED
    if match is not None and match[1] in planted.users:
        return USER
    return f"{blame.first and blame.first.text[:100]} instead of {', '.join(sorted(planted.wrong))[:100]}"


def trials(
    programs: Sequence[Dumped], kind: str, count: int, rng: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield places of a bug, and how blame finds it there."""
    found = 0
    places = [
        (program, at)
        for program in programs
        for at, (_, text) in enumerate(program.dumps)
        if at and any(f" {opcode}(" in text for opcode in KINDS[kind].opcodes)
    ]
    for program, at in rng.sample(places, min(TRIES, len(places))):
        seed = rng.randrange(10**6)
        try:
            answer = verdict(program, kind, at, seed)
        except (shlo.RunError, shlo.ParseError) as error:
            answer = None
            print(f"  {kind}: not a valid program: {str(error)[:200]}", file=sys.stderr)
        if answer is not None:
            yield f"{program.name}, dump {at}, seed {seed}", answer
            found += 1
        if found == count:
            return


def main() -> int:
    """Run the trials of each kind; return 1 if a bug was not named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=3, help="bugs of each kind")
    parser.add_argument("--dumps", type=Path, help="where dumps are, or go")
    parser.add_argument("-k", default="", help="a part of the names of kinds")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.dumps or Path(temporary)
        programs = [dumped(program, folder) for program in options.programs]
        total = Counter[str]()
        for kind in (each for each in KINDS if options.k in each):
            answers = list(trials(programs, kind, options.each, rng))
            count = Counter(answer if answer in (NAMED, USER) else "missed" for _, answer in answers)
            print(f"{kind}: {dict(count)}", flush=True)
            for where, answer in answers:
                if answer not in (NAMED, USER):
                    print(f"  {where}: {answer}", flush=True)
            total.update(count)
            total["kinds that are planted"] += bool(answers)
            total["kinds without a miss"] += bool(answers) and not count["missed"]
    print(dict(total))
    return int(total["missed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
