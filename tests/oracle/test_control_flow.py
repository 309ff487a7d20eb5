"""Drawn programs of `arith`, `cf`, `scf` and functions as values: verdicts and texts are those of C++."""

from __future__ import annotations

import re

import pytest

import stablehlo_py as shlo
from tests.helpers.drawing.control_flow import drawn, mutated
from tests.helpers.printed import cpp_texts, texts

pytest.importorskip("jaxlib")

SEEDS = range(40)
MUTANTS = 4
NAME = re.compile(r"[%@]\w+")


def test_drawn_programs_are_printed_as_by_the_cpp_printer() -> None:
    programs = [drawn(seed) for seed in SEEDS]
    theirs = cpp_texts(programs)
    assert None not in theirs
    assert [texts(program) for program in programs] == theirs


def test_author_names_are_kept() -> None:
    for seed in SEEDS:
        text = drawn(seed)
        kept = shlo.format(shlo.parse(text), canonical=False)
        assert texts(kept) == texts(text)
        assert set(NAME.findall(kept)) == set(NAME.findall(text))


def test_mutants_are_accepted_where_cpp_accepts_them() -> None:
    programs = [mutated(drawn(seed), seed * MUTANTS + n) for seed in SEEDS for n in range(MUTANTS)]
    theirs = cpp_texts(programs)
    assert [texts(program) for program in programs] == theirs
    assert {text is None for text in theirs} == {True, False}
