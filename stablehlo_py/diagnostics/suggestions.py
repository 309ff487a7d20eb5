"""Spelling suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 80  # characters of a name that are compared


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most similar to `name`, or None."""
    from difflib import get_close_matches  # for errors only

    close = get_close_matches(name, list(known), 1, 0.7) if len(name) <= _LONGEST else []
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message, `; did you mean dead-op?`, or "" if no known name is similar."""
    found = nearest(name, known)
    return f"; did you mean {found}?" if found else ""
