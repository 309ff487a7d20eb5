"""A seed draws the same program on every machine and in every release: a report of it can be run again.

Digests of programs and their arguments are in `seeds.json`. After a change of what is drawn, which CHANGELOG
then states, `python tests/generate/test_seeds.py` writes them again; the other tests of this folder say
whether programs are right.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import stablehlo_py as shlo
from stablehlo_py.debug.generate.elements import ELEMENTS, Mood, draw_values
from stablehlo_py.debug.generate.programs import Request, generate
from stablehlo_py.debug.generate.views import PRODUCERS

FILE = Path(__file__).with_name("seeds.json")
REQUESTS = {
    "small": Request(),
    "deep": Request(ops=60, depth=3),
    "flat": Request(ops=60, depth=0),
    "dynamic": Request(ops=40, dynamic=True),
    "views": Request(ops=40, views=True),
    "sharded": Request(ops=20, sharded=True),
    "costly": Request(ops=40, views=True, only=frozenset(PRODUCERS[0][1])),
    "large": Request(ops=10, views=True, shapes=((64, 32), (32, 64))),
}
DIGESTS, PROGRAMS = 6, 5  # of each request, and of each digest: what is seldom drawn is among them


def arrays() -> list[str]:
    """Values of each element type, of all moods."""
    rng, found = np.random.default_rng(7), []
    for element in ELEMENTS:
        drawn = [draw_values(rng, element, (3, 5), mood) for mood in get_args(Mood)]
        found.append(hashlib.sha256(b"".join(array.tobytes() for array in drawn)).hexdigest()[:12])
    return found


def drawn(name: str) -> list[str]:
    return [_digest(name, first) for first in range(0, DIGESTS * PROGRAMS, PROGRAMS)]


def _digest(name: str, first: int) -> str:
    digest = hashlib.sha256()
    for number in range(first, first + PROGRAMS):
        program = generate(7, number, REQUESTS[name])
        digest.update(shlo.format(program.module).encode())
        for array in program.arguments:
            digest.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:12]


@pytest.mark.parametrize("number", range(DIGESTS))
@pytest.mark.parametrize("name", REQUESTS)
def test_a_seed_draws_the_same_program(name: str, number: int) -> None:
    assert _digest(name, number * PROGRAMS) == json.loads(FILE.read_text())[name][number]


def test_a_seed_draws_the_same_arrays() -> None:
    assert arrays() == json.loads(FILE.read_text())["arrays"]


if __name__ == "__main__":
    FILE.write_text(
        json.dumps({name: drawn(name) for name in REQUESTS} | {"arrays": arrays()}, indent=1) + "\n"
    )


def test_values_of_all_types_and_moods_are_drawn_without_a_warning() -> None:
    with np.errstate(all="raise"):  # for what the function does not expect
        assert arrays()
