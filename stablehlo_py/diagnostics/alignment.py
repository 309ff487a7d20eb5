"""Alignment of two sequences in time that grows in proportion to them, up to a logarithm."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

_SMALL = 1024  # pairs of items up to which difflib aligns: its time is cubic
_WIDTHS = (1, 8)  # items of which unique anchors consist
_DEEPEST = 24  # levels of anchors within gaps; a gap below them counts as different

Anchor = tuple[int, int]  # the indices of equal items of the two sequences


class Run(NamedTuple):
    """Slices of two sequences: equal ones, or a gap between those.

    Attributes:
        is_equal: Whether the slices are equal.
        start: The start of the slice of the first sequence.
        end: Its end.
        other_start: The start of the slice of the second sequence.
        other_end: Its end.
    """

    is_equal: bool
    start: int
    end: int
    other_start: int
    other_end: int


def align(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[Run]:
    """Align two sequences: their common start and end, and between them anchors and the gaps of those.

    Anchors are items, or short runs of them, that occur once in both gaps; otherwise items that occur
    equally often; otherwise any common items, matched by their number of occurrence. Of the anchors, the
    longest ascending subsequence counts (patience diff). Small gaps are aligned by difflib.

    Args:
        a: A sequence.
        b: The other one.

    Yields:
        Runs that cover both sequences, equal and different ones in turn.
    """
    numbers: dict[Hashable, int] = {}  # of items: fast to compare, whatever those are
    a, b = ([numbers.setdefault(item, len(numbers)) for item in side] for side in (a, b))
    i = k = 0
    for start, other_start, length in _joined(_matches(a, b), len(a), len(b)):
        if i < start or k < other_start:
            yield Run(False, i, start, k, other_start)
        i, k = start + length, other_start + length
        if length:
            yield Run(True, start, i, other_start, k)


def _joined(matches: Iterator[Anchor], end: int, other_end: int) -> Iterator[tuple[int, int, int]]:
    """Join consecutive matches to runs: their starts and length; at last, an empty one at the ends."""
    start = other_start = length = 0
    for i, k in matches:
        if i == start + length and k == other_start + length:
            length += 1
            continue
        if length:
            yield start, other_start, length
        start, other_start, length = i, k, 1
    if length:
        yield start, other_start, length
    yield end, other_end, 0


def _matches(a: list[int], b: list[int]) -> Iterator[Anchor]:
    """Yield the indices of matched items, in order."""
    pending = [(0, len(a), 0, len(b), 0)]
    while pending:
        i, j, k, m, depth = pending.pop()
        while i < j and k < m and a[i] == b[k]:
            yield i, k
            i, k = i + 1, k + 1
        if i == j or k == m or depth == _DEEPEST:
            continue
        tail = 0
        while i < j - tail and k < m - tail and a[j - tail - 1] == b[m - tail - 1]:
            tail += 1
        if tail:  # comes after the rest, as a gap that is equal throughout
            pending.append((j - tail, j, m - tail, m, depth))
            j, m = j - tail, m - tail
        if (j - i) * (m - k) <= _SMALL:
            yield from _small(a, b, (i, j, k, m))
            continue
        anchors = _ascending(_anchors(a, b, (i, j, k, m)))
        if not anchors:
            continue
        starts = [(i, k), *anchors]
        ends = [*anchors, (j, m)]
        gaps = [(*x, *y) for x, y in zip(starts, ends, strict=True)]
        pending += [(p, r, q, s, depth + 1) for p, q, r, s in reversed(gaps)]


def _small(a: list[int], b: list[int], gap: tuple[int, int, int, int]) -> Iterator[Anchor]:
    from difflib import SequenceMatcher  # for small gaps only

    i, j, k, m = gap
    for p, q, length in SequenceMatcher(None, a[i:j], b[k:m], autojunk=False).get_matching_blocks():
        yield from ((i + p + n, k + q + n) for n in range(length))


def _anchors(a: list[int], b: list[int], gap: tuple[int, int, int, int]) -> list[Anchor]:
    """Return anchors of a gap, in the order of the first sequence."""
    for width in _WIDTHS:
        common = _common(a, b, gap, width)
        unique = [(x[0], y[0]) for x, y in common if len(x) == len(y) == 1]
        if unique:
            return unique
    common = _common(a, b, gap, 1)
    even = [(x, y) for x, y in common if len(x) == len(y)]
    return sorted([pair for x, y in even or common for pair in zip(x, y, strict=False)])


def _common(
    a: list[int], b: list[int], gap: tuple[int, int, int, int], width: int
) -> list[tuple[list[int], list[int]]]:
    """Return the indices in a gap of each run of `width` items that both sequences have."""
    left, right = _places(a, *gap[:2], width), _places(b, *gap[2:], width)
    return [(places, right[items]) for items, places in left.items() if items in right]


def _places(items: list[int], start: int, end: int, width: int) -> dict[tuple[int, ...], list[int]]:
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for index in range(start, end - width + 1):
        found[tuple(items[index : index + width])].append(index)
    return found


def _ascending(anchors: list[Anchor]) -> list[Anchor]:
    """Return the longest subsequence whose second indices ascend, by patience sorting."""
    tops: list[int] = []  # the smallest second index that ends a subsequence of each length
    ends: list[int] = []  # the anchors of `tops`
    before: list[int] = []  # the anchor before each one
    for index, (_, k) in enumerate(anchors):
        length = bisect_left(tops, k)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [k]
        ends[length : length + 1] = [index]
    found, last = [], ends[-1] if ends else -1
    while last >= 0:
        found.append(anchors[last])
        last = before[last]
    return found[::-1]


def reordered(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[int]:
    """Return the places in `b` of the counterparts of all items of `a`, which has the same length.

    The counterpart is the item at the same place if it is equal; then an equal item elsewhere; then what is
    left, in order.
    """
    moved = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    left, places = list(moved), {i: i for i in range(len(a)) if i not in moved}
    for i in moved:
        if (place := next((j for j in left if b[j] == a[i]), None)) is not None:
            places[i] = place
            left.remove(place)
    places.update(zip([i for i in moved if i not in places], left, strict=True))
    return [places[i] for i in range(len(a))]
