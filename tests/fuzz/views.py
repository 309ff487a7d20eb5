"""Programs of views on the native engine, whose memory holds a pattern, against the NumPy engine.

`python tests/fuzz/views.py [--seed SEED] [--first N] [--count N] [--jobs N] [--quick]` prints each program
that differs, by its seed and number, which determine it. `--quick` leaves LLVM's optimizations out, and takes
a quarter of the time; code that is not optimized has the same loads and stores.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from time import monotonic
from unittest.mock import patch

import numpy as np

import stablehlo_py as shlo
from stablehlo_py.debug.fuzz.verdict import judged
from stablehlo_py.debug.generate.programs import Program, Request, draw_program
from stablehlo_py.engines import program
from stablehlo_py.engines.native.patterns import FILL_MEMORY

REQUEST = Request(views=True, depth=1)
STEPS = (4, 14)  # the least of a program, and one more than the most
CHUNK = 50  # programs that a worker runs between two reports
NAMES = ("numpy", "native")
Found = list[tuple[int, str]]  # numbers of programs, and what goes wrong


def drawn(seed: int, number: int) -> Program:
    """The program of a seed and a number."""
    rng = np.random.default_rng([seed, number])
    return draw_program(rng, "main", int(rng.integers(*STEPS)), REQUEST)


@contextmanager
def all_native(quick: bool = False) -> Iterator[None]:
    """Constants are not folded, a single step is native code, and `quick` code is not optimized."""
    from stablehlo_py.engines.native import module, regions

    with (
        patch.object(program, "constant_folder", lambda options: lambda step, operands, functions: None),
        patch.object(regions, "LEAST_STEPS", 1),
        patch.object(module, "COLD", 1e30 if quick else module.COLD),
    ):
        yield


def difference(seed: int, number: int) -> str | None:
    """What goes wrong in a program; None where both engines agree, and arguments stay as they are."""
    found = drawn(seed, number)
    given = [array.copy() for array in found.arguments]
    try:
        expected = shlo.compile(found.module, entry="main", engine="numpy")(*found.arguments)
        run = shlo.compile(found.module, entry="main", engine="native")
        for _ in range(2):  # the second call finds what the first has left, under another pattern
            wrong = judged(found.module, NAMES, [expected, run(*given)])
            if wrong is not None:
                return f"{wrong.op}: {wrong.cause}: {wrong.example}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None if all(map(np.array_equal, given, found.arguments)) else "an argument is changed"


def differences(seed: int, numbers: range, quick: bool) -> Found:
    """The numbers of programs that go wrong, and how."""
    with all_native(quick):
        return [(n, text) for n in numbers if (text := difference(seed, n)) is not None]


def _chunks(seed: int, numbers: range, jobs: int, quick: bool) -> Iterator[tuple[range, Found]]:
    """Run programs in worker processes, one by one those of a chunk that ends its process."""
    starts = range(numbers.start, numbers.stop, CHUNK)
    chunks = [range(start, min(start + CHUNK, numbers.stop)) for start in starts]
    while chunks:
        with ProcessPoolExecutor(jobs) as pool:
            futures = [(chunk, pool.submit(differences, seed, chunk, quick)) for chunk in chunks[: 20 * jobs]]
            for chunk, future in futures:
                try:
                    yield chunk, future.result()
                except BrokenProcessPool:
                    if len(chunk) > 1:
                        chunks[1:1] = [range(n, n + 1) for n in chunk]
                    else:
                        yield chunk, [(chunk.start, "the process ended")]
                    chunks.pop(0)
                    break
                chunks.pop(0)


def main(arguments: list[str]) -> int:
    """Run programs and print those that go wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args(arguments)
    os.environ.update({FILL_MEMORY: "1", "SHLO_CACHE_DIR": ""})
    numbers, start, done, wrong = range(given.first, given.first + given.count), monotonic(), 0, 0
    for chunk, found in _chunks(given.seed, numbers, given.jobs, given.quick):
        done += len(chunk)
        wrong += len(found)
        for number, text in found:
            print(f"seed {given.seed} number {number}: {text}", flush=True)
        if not chunk.stop % 1000:
            print(f"{done:,} programs, {wrong:,} differ, {monotonic() - start:.0f} s", flush=True)
    print(f"{done:,} programs of seed {given.seed} from number {given.first}: {wrong:,} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
