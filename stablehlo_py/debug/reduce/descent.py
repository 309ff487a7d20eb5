"""Delta debugging: a candidate is replaced by a smaller interesting candidate until none is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Edit(NamedTuple, Generic[T]):
    """A candidate to try: what it does, and how it is made; None if it cannot be."""

    what: str
    make: Callable[[], T | None]


class Descent(Generic[T]):
    """The search for smaller candidates.

    Args:
        holds: Tests whether a candidate, if there is one, is interesting.
        accept: Called with each edit that gives an interesting candidate, and the candidate.
        jobs: The number of candidates that are tested at the same time.
    """

    def __init__(
        self, holds: Callable[[T | None], bool], accept: Callable[[Edit[T], T], None], jobs: int
    ) -> None:
        self._holds = holds
        self._accept = accept
        self._jobs = jobs

    def first(self, edits: Iterable[Edit[T]]) -> T | None:
        """Return the first candidate that is interesting, or None."""
        pending = iter(edits)
        with ThreadPoolExecutor(self._jobs) as pool:
            while batch := list(islice(pending, self._jobs)):
                made = [edit.make() for edit in batch]
                verdicts = list(pool.map(self._holds, made))
                for edit, candidate, verdict in zip(batch, made, verdicts, strict=True):
                    if candidate is not None and verdict:
                        self._accept(edit, candidate)
                        return candidate
        return None

    def repeat(self, best: T, phase: Callable[[T], Iterable[Edit[T]]]) -> T:
        """Apply the edits of a phase until none of them leaves the candidate interesting."""
        while (found := self.first(phase(best))) is not None:
            best = found
        return best


def runs(count: int) -> Iterator[slice]:
    """Yield runs of so many items: both halves, then quarters, down to single items."""
    length = max(1, count // 2)
    while length:
        for start in range(0, count, length):
            yield slice(start, start + length)
        length //= 2
