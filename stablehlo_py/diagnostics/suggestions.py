"""What may have been meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 80  # characters of a name that are compared


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The name most like `name`, None where none is near."""
    close = get_close_matches(name, list(known), 1, 0.7) if len(name) <= _LONGEST else []
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean dead-op?`, the end of a message, or "" where nothing is near."""
    found = nearest(name, known)
    return f"; did you mean {found}?" if found else ""
