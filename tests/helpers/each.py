"""One test of all rows of a table: of hundreds of cheap rows, a test of each costs more than its check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


def for_each(
    rows: Iterable[Any] | Callable[[], Iterable[Any]],
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Makes a check of a row the test of all rows; a failure names its row. A tuple has several arguments.

    Rows that a function returns are those at the time of the test.
    """
    given: Callable[[], Iterable[Any]] = rows if callable(rows) else list(rows).copy

    def of_all(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            check_each(check, list(given()))

        test.__name__, test.__doc__, test.__module__ = check.__name__, check.__doc__, check.__module__
        return test

    return of_all


def check_each(check: Callable[..., None], rows: Sequence[Any]) -> None:
    """Check rows; a failure names its row. A tuple has several arguments."""
    assert rows
    for row in rows:
        try:
            check(*row) if isinstance(row, tuple) else check(row)
        except BaseException as error:
            error.add_note(f"of {getattr(row, 'name', row)}")
            raise
