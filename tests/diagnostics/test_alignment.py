"""Alignment of sequences: `align` covers both, keeps what is equal, and its time is bounded."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from stablehlo_py.diagnostics import alignment
from stablehlo_py.diagnostics.alignment import Run, align, reordered


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


def test_nothing_in_common() -> None:
    """Of few items, and of many."""
    for size in (3, 300):
        assert list(align(range(size), range(size, 3 * size))) == [Run(False, 0, size, 0, 2 * size)]


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


def test_items_are_compared_by_value() -> None:
    """Whatever they are: numbers, texts, tuples, also those equal to numbers of other items."""
    a: list[Any] = [5, 3, (1,), "x", 0, 1, 2]
    assert list(align(a, [(1,), "x", 0, 1, 2])) == [Run(False, 0, 2, 0, 0), Run(True, 2, 7, 0, 5)]
    assert list(align([3, 4], [4, 3, 4])) == [Run(False, 0, 0, 0, 1), Run(True, 0, 2, 1, 3)]
    assert list(align([1, 0], [7, 8])) == [Run(False, 0, 2, 0, 2)]


def test_the_longest_ascending_anchors() -> None:
    """Unique lines in another order: as many stay as the longest common subsequence has."""
    drawn = random.Random(3)
    for size in (40, 60):
        a = [f"line {i}" for i in range(size)]
        b = drawn.sample(a, size)
        lengths = [[0] * (size + 1) for _ in range(size + 1)]
        for i, j in product(range(size), repeat=2):
            same = lengths[i][j] + 1
            lengths[i + 1][j + 1] = same if a[i] == b[j] else max(lengths[i][j + 1], lengths[i + 1][j])
        assert kept(a, b) == lengths[size][size]


def test_items_that_occur_equally_often_are_anchors() -> None:
    """Among lines that repeat: both `x` match, although more of the other lines would without them."""
    a = ["a", *"f" * 10, "x", *"f" * 10, "x", *"f" * 16, "b"]
    b = ["c", *"f" * 20, "x", *"f" * 5, "x", *"f" * 3, "d"]
    shared = [run for run in align(a, b) if run.is_equal]
    assert [i for run in shared for i in range(run.start, run.end) if a[i] == "x"] == [11, 22]


@pytest.mark.parametrize(
    ("a", "b", "places"),
    [
        ("", "", []),
        ("abc", "abc", [0, 1, 2]),
        ("abc", "cab", [1, 2, 0]),
        ("aab", "aba", [0, 2, 1]),
        ("axb", "bya", [2, 1, 0]),
        ("xy", "ab", [0, 1]),
        ("abab", "baba", [1, 0, 3, 2]),
        ("aaxb", "xaab", [2, 1, 0, 3]),
    ],
)
def test_counterparts_in_another_order(a: str, b: str, places: list[int]) -> None:
    """The same place, then an equal item elsewhere, then what is left."""
    assert reordered(a, b) == places


def test_depth_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the deepest level a gap counts as different."""
    monkeypatch.setattr(alignment, "_SMALL", 0)
    monkeypatch.setattr(alignment, "_DEEPEST", 1)
    assert kept([*"axbycz"], [*"1x2y3z"]) == 3  # the anchors of the first level, and the common end
    monkeypatch.setattr(alignment, "_DEEPEST", 0)
    assert kept([*"axbycz"], [*"1x2y3z"]) == 0
