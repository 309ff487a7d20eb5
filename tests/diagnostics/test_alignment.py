"""Alignment of sequences: `align` covers both, keeps what is equal, and its time is bounded."""

from __future__ import annotations

import random

import pytest

from stablehlo_py.diagnostics.alignment import Run, align


def kept(a: list[str], b: list[str]) -> int:
    """Count the matched items; check that runs cover both sequences in turn and are what they say."""
    i = k = equal = 0
    was_equal = None
    for run in align(a, b):
        assert (run.start, run.other_start) == (i, k) and run.is_equal is not was_equal
        i, k, was_equal = run.end, run.other_end, run.is_equal
        assert run.is_equal == (a[run.start : i] == b[run.other_start : k])
        equal += (i - run.start) * run.is_equal
    assert (i, k) == (len(a), len(b))
    return equal


def test_hand_made() -> None:
    assert list(align("", "")) == []
    assert list(align("", "x")) == [Run(False, 0, 0, 0, 1)]
    assert list(align("abc", "abc")) == [Run(True, 0, 3, 0, 3)]
    assert list(align("abcd", "abXd")) == [
        Run(True, 0, 2, 0, 2),
        Run(False, 2, 3, 2, 3),
        Run(True, 3, 4, 3, 4),
    ]
    assert list(align("ab", "abab")) in (
        [Run(True, 0, 2, 0, 2), Run(False, 2, 2, 2, 4)],
        [Run(False, 0, 0, 0, 2), Run(True, 0, 2, 2, 4)],
    )


@pytest.mark.parametrize("alphabet", [2, 5, 50, 5000])
@pytest.mark.parametrize("edits", [0, 1, 10])
def test_few_edits_keep_the_rest(alphabet: int, edits: int) -> None:
    """Replaced items are lost; what is lost besides is little, whatever repeats."""
    drawn = random.Random(alphabet * 100 + edits)
    for size in (200, 2000):
        a = [str(drawn.randrange(alphabet)) for _ in range(size)]
        b = list(a)
        for place in drawn.sample(range(size), edits):
            b[place] = f"new {place}"
        assert kept(a, b) == size - edits
        del b[size // 2]
        assert kept(a, b) >= size - edits - 1


def test_repeated_modules_with_blank_lines_between() -> None:
    """All lines repeat: each is kept, and the blank lines are added."""
    part = ["func {", "add", "mul", "return", "}"]
    a, b = [], []
    for _ in range(1000):
        a += [*part, "// -----"]
        b += [*part, "", "// -----", ""]
    assert kept(a, b) == len(a)


def test_moved_function() -> None:
    lines = [line for i in range(200) for line in (f"func {i} {{", f"add {i}", "return", "}")]
    assert kept(lines, [*lines[4:], *lines[:4]]) == 4 * 199
