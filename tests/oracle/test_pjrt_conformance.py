"""Conformance cases on the engine pjrt: they hold, but for what XLA cannot run, in its words.

    ORACLE_DRAWS=2 pytest tests/oracle/test_pjrt_conformance.py  # all cases, not a sample of testdata

The cases run in a process of their own, which XLA may end.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablehlo_py as shlo
from tests.helpers.soak import DRAWS

SHARED = Path(__file__).parents[3] / "shared"
CASES = SHARED / "conformance"
DIFFERENCES = list(csv.DictReader((Path(__file__).parent / "pjrt_differences.csv").read_text().splitlines()))
EVERY = {"interpret": 1, "testdata": 1 if DRAWS > 1 else 12}
PART = 64  # cases of a test
TAKES_INPUTS = "inputs, 0 given"
ULPS = 4  # of sums of a grid, which devices may add in any order


def parts() -> list[list[str]]:
    names = [
        path.relative_to(CASES).as_posix()
        for folder, every in EVERY.items()
        for path in sorted((CASES / folder).glob("*.mlir"))[::every]
    ]
    return [names[at : at + PART] for at in range(0, len(names), PART)]


@pytest.mark.skipif(not CASES.exists(), reason="needs the cases in ../shared/conformance")
@pytest.mark.parametrize("names", parts(), ids=lambda names: f"{names[0]}+{len(names)}")
def test_cases_hold_on_pjrt(names: list[str]) -> None:
    wrong = []
    for name, message in answers(names):
        text = (CASES / name).read_text()
        known = [row for row in DIFFERENCES if row["op"] in text and row["words"] in message]
        if message and TAKES_INPUTS not in message and not known:
            wrong.append(f"{name}: {message}")
    assert not wrong


def answers(names: list[str]) -> Iterator[tuple[str, str]]:
    """Each case, and what is wrong with it."""
    left = list(names)
    while left:
        done = subprocess.run(
            [sys.executable, __file__, *left], capture_output=True, text=True, check=False, timeout=900
        )
        found = [json.loads(line[1:]) for line in done.stdout.splitlines() if line.startswith("@")]
        yield from zip(left, found, strict=False)
        left = left[len(found) :]
        if left:
            yield left.pop(0), "the process ends"


class Grids(shlo.Observer):
    """Keeps what the ops that run grids of programs take and give."""

    def __init__(self) -> None:
        self.found: list[tuple[Any, list[Any], list[Any]]] = []

    def after(self, moment: shlo.Moment, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        if moment.op.name == "interpreter.run_parallel":
            self.found.append((moment.op, list(operands), list(results)))


def run(path: Path) -> None:
    """Runs a case on pjrt; the programs of a grid as entries, against the results of NumPy."""
    module = shlo.load(path)
    if not any(op.name == "interpreter.run_parallel" for op in module.walk()):
        shlo.run(module, engine="pjrt")
        return
    grids = Grids()
    shlo.compile(module, engine="numpy", observer=grids).call()
    for op, operands, results in grids.found:
        run_grid(module, op, operands, results)


def run_grid(module: shlo.Module, op: Any, operands: list[Any], results: list[Any]) -> None:
    rows = [[symbol.root for symbol in row.value] for row in op.properties["programs"].value]
    names = {name for row in rows for name in row}
    if len(names) > 1:
        raise shlo.Unsupported("engine pjrt cannot execute this op: the processes run several programs")
    program = shlo.compile(module, names.pop(), engine="pjrt", replicas=len(rows), partitions=len(rows[0]))
    places = program.process_ids()
    count = len(operands) // len(places)
    given = {place: operands[i * count : (i + 1) * count] for i, place in enumerate(places)}
    found = [value for values in program.call_grid(given).values() for value in values]
    for ours, theirs in zip(results, found, strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=ULPS * 2**-23)


def answer(path: Path) -> str:
    try:
        run(path)
    except (shlo.RunError, AssertionError) as error:
        return str(error)
    return ""


if __name__ == "__main__":
    for case in sys.argv[1:]:
        print("@" + json.dumps(answer(CASES / case)), flush=True)
