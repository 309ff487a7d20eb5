"""Random mutations of programs are rejected or valid, without a traceback."""

from __future__ import annotations

import random
from functools import cache

from checking import check, mutate
from conftest import ROOT, SHARED
from hypothesis import given, settings
from hypothesis import strategies as st

LONGEST = 6000


@cache
def programs() -> list[str]:
    """The repository's programs, and every fifth conformance case where they are at hand."""
    paths = [*sorted((ROOT / "testdata").rglob("*.mlir")), *sorted(SHARED.glob("conformance/*/*.mlir"))[::5]]
    texts = [path.read_bytes().decode("utf-8", "surrogateescape") for path in paths]
    return [part for text in texts for part in text.split("// -----\n") if len(part) < LONGEST]


@settings(max_examples=400, deadline=None)
@given(st.integers(min_value=0))
def test_changed_programs(seed: int) -> None:
    choose = random.Random(seed)
    check(mutate(choose.choice(programs()), programs(), choose))


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    check(text)


@settings(max_examples=100, deadline=None)
@given(st.binary(), st.integers(min_value=0))
def test_any_bytes_in_a_program(raw: bytes, seed: int) -> None:
    choose = random.Random(seed)
    program = choose.choice(programs())
    at = choose.randrange(len(program) + 1)
    check(program[:at] + raw.decode("utf-8", "surrogateescape") + program[at:])


def test_programs_of_the_repository_are_well_behaved() -> None:
    assert sum(map(check, programs())) > 100
