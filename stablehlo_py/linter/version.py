"""StableHLO's version numbers, and the names that stand for some of them."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBERS = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", re.ASCII)


class Version(NamedTuple):
    """A version, such as 1.7.0. Patches carry no change of the opset."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


MINIMUM = Version(0, 9)
CURRENT = Version(1, 20)
# Upstream's CompatibilityRequirement: what a consumer that is so many weeks old can read.
NAMED = {"MINIMUM": MINIMUM, "WEEK_12": Version(1, 16, 2), "WEEK_4": Version(1, 18), "CURRENT": CURRENT}


def version_of(text: str) -> Version:
    """The version that a text states: `1.7.0`, or a name such as `WEEK_12`.

    Raises ValueError for a text that is neither, and for a version that is older or newer than the tables.
    """
    match = _NUMBERS.fullmatch(text)
    if match is None and text.upper() not in NAMED:
        raise ValueError(
            f"{text!r} is no version: expected three numbers such as 1.7.0, or {', '.join(NAMED)}"
        )
    found = Version(*map(int, match.groups())) if match else NAMED[text.upper()]
    if not MINIMUM <= found <= CURRENT:
        raise ValueError(f"version {found} is not between {MINIMUM} and {CURRENT}, the versions known here")
    return found
