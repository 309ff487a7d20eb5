"""StableHLO's versions: what a release of the format can hold, and how programs name a release."""

from __future__ import annotations

import re
from typing import NamedTuple


class Version(NamedTuple):
    """A version of StableHLO."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


_TEXT = re.compile(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?", re.ASCII)
CURRENT = Version(1, 20, 0)
OLDEST = Version(0, 9, 0)
_BYTECODE = (  # the version of the bytecode since a version of StableHLO
    (Version(0, 15), 6),
    (Version(0, 14), 4),
    (Version(0, 12), 3),
    (Version(0, 10), 1),
    (OLDEST, 0),
)


def version(text: str) -> Version:
    """The version that a text such as `1.7.0` spells. Raises ValueError."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a version such as {CURRENT}, found {text!r}")
    return Version(int(match[1]), int(match[2]), int(match[3] or 0))


def bytecode_version(target: Version) -> int:
    """The version of the bytecode in which portable artifacts of a version are written."""
    return next(bytecode for since, bytecode in _BYTECODE if target >= since)
