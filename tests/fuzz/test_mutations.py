"""Mutants of programs are rejected or valid, and what is valid keeps every invariant."""

from __future__ import annotations

import random
from functools import cache

import fuzz
import pytest
from checking import check
from hypothesis import given, settings
from hypothesis import strategies as st
from mutators import KINDS

import stablehlo_py as shlo

PER_SEED = 210  # mutants, of all kinds in turn


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mutants(seed: int) -> None:
    """`python tests/fuzz/fuzz.py` continues from here, without an end."""
    found = {}
    for number in range(seed * PER_SEED, (seed + 1) * PER_SEED):
        kind, text = fuzz.mutant(number, fuzz.programs())
        _, why = fuzz.find(text)
        if why is not None:
            found[number, kind] = why
    assert not found


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_changes_programs(kind: str) -> None:
    choose = random.Random(0)
    texts = fuzz.programs()
    changed = [KINDS[kind](text, texts, choose) != text for text in choose.choices(texts, k=100)]
    assert sum(changed) > 50


@cache
def texts_of_vhlo() -> tuple[str, ...]:
    """The valid programs in the VHLO dialect."""
    found = []
    for text in fuzz.programs()[::4]:
        try:
            found.append(shlo.serialize(shlo.parse(text), "vhlo").decode("utf-8", "surrogateescape"))
        except shlo.StablehloError:
            continue
    return tuple(found)


@pytest.mark.slow
def test_mutants_in_vhlo() -> None:
    texts = texts_of_vhlo()
    assert len(texts) > 20
    mutants = {number: fuzz.mutant(number, texts)[1] for number in range(PER_SEED)}
    found = {number: why for number, text in mutants.items() if (why := fuzz.find(text)[1]) is not None}
    assert not found


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    check(text)


@settings(max_examples=100, deadline=None)
@given(st.binary(), st.integers(min_value=0))
def test_any_bytes_in_a_program(raw: bytes, seed: int) -> None:
    choose = random.Random(seed)
    program = choose.choice(fuzz.programs())
    at = choose.randrange(len(program) + 1)
    check(program[:at] + raw.decode("utf-8", "surrogateescape") + program[at:])
