"""Version numbers of StableHLO, and named versions."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBERS = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})", re.ASCII)


class Version(NamedTuple):
    """A version, such as 1.7.0. Patch versions do not change the opset."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


MINIMUM = Version(0, 9)
CURRENT = Version(1, 20)
# Upstream's CompatibilityRequirement: versions that consumers of the given age support.
# Its MAX is the greatest compatibility, and so the oldest version; NONE asks for no compatibility.
NAMED = {
    "MINIMUM": MINIMUM,
    "WEEK_12": Version(1, 16, 2),
    "WEEK_4": Version(1, 18),
    "CURRENT": CURRENT,
    "MIN": MINIMUM,
    "MAX": MINIMUM,
    "NONE": CURRENT,
}


def version_of(text: str) -> Version:
    """Parse a version.

    Args:
        text: A version such as `1.7.0`, or a name such as `WEEK_12`.

    Returns:
        The version.

    Raises:
        ValueError: If the text is neither, or the version is outside of the supported range.
    """
    match = _NUMBERS.fullmatch(text)
    if match is None and text.upper() not in NAMED:
        raise ValueError(
            f"invalid version {text!r}: expected three numbers such as 1.7.0, or {', '.join(NAMED)}"
        )
    found = Version(*map(int, match.groups())) if match else NAMED[text.upper()]
    if not MINIMUM <= found <= CURRENT:
        raise ValueError(f"unsupported version {found}: expected {MINIMUM} to {CURRENT}")
    return found
