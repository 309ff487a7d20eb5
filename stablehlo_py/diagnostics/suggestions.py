"""Spelling suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 80  # characters of a name that are compared


def nearest(name: str, known: Iterable[str], least: float = 0.7) -> str | None:
    """Return the known name that is `name` in other case, or begins with it, else the most similar one.

    Args:
        name: The name. That of an op is compared with the ops of its dialect, if there are any.
        known: The known names.
        least: The least similarity, between 0 and 1.

    Returns:
        A known name, or None if none is similar.
    """
    from difflib import get_close_matches  # for errors only

    if len(name) > _LONGEST:
        return None
    names = list(known)
    dialect = name[: name.find(".") + 1]
    rests = [each.removeprefix(dialect) for each in names if each.startswith(dialect)]
    if not rests:
        dialect, rests = "", names
    rest = name.removeprefix(dialect)
    folded = rest.casefold()
    same = [each for each in rests if each.casefold() == folded]
    begun = same or ([each for each in rests if each.startswith(rest)] if len(rest) > 1 else [])
    close = [min(begun, key=len)] if begun else get_close_matches(rest, rests, 1, least)
    return dialect + close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message, `; did you mean dead-op?`, or "" if no known name is similar."""
    found = nearest(name, known)
    return f"; did you mean {found}?" if found else ""
